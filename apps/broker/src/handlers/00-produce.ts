/**
 * Produce: one record batch per partition, appended as it came. The batch's header and CRC are checked, offset and
 * leader epoch stamped in place. acks 1 is answered when the leader's log has the batch, -1 when the high watermark
 * has passed it; acks 0 is never answered, and an error closes the connection, so that the producer looks up the
 * leader again. Transactional batches are refused. A request is answered when all its partitions are.
 */
import { apis, type RequestOf } from '@seatlog/kafka-protocol';
import type { PartitionBatch, ProduceAnswer } from '../replica-manager/replica-manager.ts';
import type { BrokerServices } from '../services.ts';
import { defineHandler, type RequestContext, type Respond } from './handler.ts';
import { loneProduce } from './lone-produce.ts';
import { type ProduceResponse, ProduceResponses } from './produce-response.ts';
import { ZSTD_FROM } from './produce-versions.ts';

type ProduceRequest = RequestOf<typeof apis.produce>;

const NO_RECORDS = new Uint8Array(0);

export const produce = defineHandler(
  apis.produce,
  (services) => {
    const responses = new ProduceResponses(services);
    return (request, context, respond) =>
      new ProduceExchange(services, responses, request, context, respond).start();
  },
  { pipelined: true, direct: loneProduce },
);

class ProduceExchange {
  readonly #services: BrokerServices;
  readonly #responses: ProduceResponses;
  readonly #request: ProduceRequest;
  readonly #context: RequestContext;
  readonly #respond: Respond<ProduceResponse>;

  constructor(
    services: BrokerServices,
    responses: ProduceResponses,
    request: ProduceRequest,
    context: RequestContext,
    respond: Respond<ProduceResponse>,
  ) {
    this.#services = services;
    this.#responses = responses;
    this.#request = request;
    this.#context = context;
    this.#respond = respond;
  }

  start(): void {
    const { replicas, metrics } = this.#services;
    const { acks, timeoutMs, topicData } = this.#request;
    metrics.produceRequests += 1;
    const batches: PartitionBatch[] = [];
    for (const { name, partitionData } of topicData) {
      for (const { index, records } of partitionData) {
        batches.push({ topic: name, partition: index, batch: records ?? NO_RECORDS });
      }
    }
    const allowZstd = this.#context.apiVersion >= ZSTD_FROM;
    replicas.produce({ acks, timeoutMs, origin: 'client', allowZstd, batches }, (answer) =>
      this.#answer(answer),
    );
  }

  #answer(answer: ProduceAnswer): void {
    switch (answer.kind) {
      case 'answer':
        this.#respond(this.#responses.of(this.#request.topicData, answer.outcomes, this.#context));
        return;
      case 'closing':
        this.#services.metrics.failedProduceRequests += 1;
        this.#context.closeConnection(`a produce with acks=0 failed with error ${answer.errorCode}`);
        this.#respond(null);
        return;
      case 'silence':
        this.#respond(null);
    }
  }
}
