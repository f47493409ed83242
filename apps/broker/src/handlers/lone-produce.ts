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
import type { AppendOutcome, ProduceAnswer } from '../replica-manager/replica-manager.ts';
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
    const { acks, timeoutMs, apiVersion, topic, index, records } = this.#request;
    metrics.produceRequests += 1;
    const batches = [{ topic, partition: index, batch: records }];
    const allowZstd = apiVersion >= ZSTD_FROM;
    replicas.produce({ acks, timeoutMs, origin: 'client', allowZstd, batches }, (answer) =>
      this.#answer(answer),
    );
  }

  writeTo(output: ByteWriter): void {
    if (this.#outcome !== null) writeLoneProduceAnswer(output, this.#request, this.#outcome);
  }

  #answer(answer: ProduceAnswer): void {
    switch (answer.kind) {
      case 'answer': {
        const [outcome] = answer.outcomes;
        if (outcome?.errorCode !== ErrorCode.NONE) return this.#refuse(answer.outcomes);
        this.#outcome = outcome;
        return this.#exchange.answerDirectly(this);
      }
      case 'closing':
        this.#services.metrics.failedProduceRequests += 1;
        this.#exchange.closeConnection(`a produce with acks=0 failed with error ${answer.errorCode}`);
        return this.#exchange.answer(null);
      case 'silence':
        return this.#exchange.answer(null);
    }
  }

  #refuse(outcomes: readonly AppendOutcome[]): void {
    const { apiVersion, correlationId, topic, index, records } = this.#request;
    const { listenerName } = this.#exchange;
    const topicData = [{ name: topic, partitionData: [{ index, records }] }];
    const response = this.#responses.of(topicData, outcomes, { apiVersion, listenerName });
    this.#exchange.answer(encodeResponse(apis.produce, apiVersion, correlationId, response));
  }
}
