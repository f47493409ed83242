/**
 * Produce of one batch, round the objects of the general way: the same appends by the same rules, and the same bytes in
 * answer. An outcome that is an error goes the general way from there on, for it is rare.
 */
import {
  apis,
  type ByteWriter,
  encodeResponse,
  ErrorCode,
  type LoneProduce,
  readLoneProduce,
  writeLoneProduceAnswer,
} from '@seatlog/kafka-protocol';
import type { DirectAnswer } from '../network/exchange.ts';
import type { AppendOutcome } from '../replica-manager/replica-manager.ts';
import type { BrokerServices } from '../services.ts';
import type { DirectExchange, DirectHandler } from './handler.ts';
import { ProduceResponses } from './produce-response.ts';
import { ZSTD_FROM } from './produce-versions.ts';

export function loneProduce(services: BrokerServices): DirectHandler {
  const responses = new ProduceResponses(services);
  return (frame, exchange) => {
    const request = readLoneProduce(frame);
    if (request === null) return false;
    new LoneProduceExchange(services, responses, request, exchange).start();
    return true;
  };
}

class LoneProduceExchange implements DirectAnswer {
  readonly #services: BrokerServices;
  readonly #responses: ProduceResponses;
  readonly #request: LoneProduce;
  readonly #exchange: DirectExchange;
  #outcome: AppendOutcome | null = null;

  constructor(
    services: BrokerServices,
    responses: ProduceResponses,
    request: LoneProduce,
    exchange: DirectExchange,
  ) {
    this.#services = services;
    this.#responses = responses;
    this.#request = request;
    this.#exchange = exchange;
  }

  start(): void {
    const { replicas, metrics } = this.#services;
    const { acks, timeoutMs, apiVersion, topic, index: partition, records: batch } = this.#request;
    metrics.produceRequests += 1;
    const allowZstd = apiVersion >= ZSTD_FROM;
    replicas.append({ acks, timeoutMs, origin: 'client', allowZstd, topic, partition, batch }, (outcome) =>
      this.#answer(outcome),
    );
  }

  writeTo(output: ByteWriter): void {
    if (this.#outcome !== null) writeLoneProduceAnswer(output, this.#request, this.#outcome);
  }

  #answer(outcome: AppendOutcome): void {
    const { errorCode } = outcome;
    if (this.#request.acks === 0) this.#endUnanswered(errorCode);
    else if (errorCode !== ErrorCode.NONE) this.#refuse(outcome);
    else {
      this.#outcome = outcome;
      this.#exchange.answerDirectly(this);
    }
  }

  #endUnanswered(errorCode: number): void {
    if (errorCode !== ErrorCode.NONE) {
      this.#services.metrics.failedProduceRequests += 1;
      this.#exchange.closeConnection(`a produce with acks=0 failed with error ${errorCode}`);
    }
    this.#exchange.answer(null);
  }

  #refuse(outcome: AppendOutcome): void {
    const { apiVersion, correlationId, topic, index, records } = this.#request;
    const { listenerName } = this.#exchange;
    const topicData = [{ name: topic, partitionData: [{ index, records }] }];
    const response = this.#responses.of(topicData, [outcome], { apiVersion, listenerName });
    this.#exchange.answer(encodeResponse(apis.produce, apiVersion, correlationId, response));
  }
}
