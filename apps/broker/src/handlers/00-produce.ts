/**
 * Produce: one record batch per partition, appended as it came. The batch's header and CRC are checked, offset and
 * leader epoch stamped in place. acks 1 is answered when the leader's log has the batch, -1 when the high watermark
 * has passed it; acks 0 is never answered, and an error closes the connection, so that the producer looks up the
 * leader again. Transactional batches are refused. A request is answered when all its partitions are.
 */
import { apis, ErrorCode, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import type { AppendOutcome } from '../replica-manager/replica-manager.ts';
import type { BrokerServices } from '../services.ts';
import { defineHandler, type RequestContext, type Respond } from './handler.ts';
import { leaderEndpoints } from './leader-endpoints.ts';

type ProduceRequest = RequestOf<typeof apis.produce>;
type ProduceResponse = ResponseInput<typeof apis.produce>;
type TopicResponse = ProduceResponse['responses'][number];
type PartitionResponse = TopicResponse['partitionResponses'][number];

const ZSTD_FROM = 7;
const LEADER_HINT_FROM = 10;
const NO_RECORDS = new Uint8Array(0);

export const produce = defineHandler(
  apis.produce,
  (services) => (request, context, respond) =>
    new ProduceOperation(services, request, context, respond).start(),
  { pipelined: true },
);

class ProduceOperation {
  readonly #services: BrokerServices;
  readonly #request: ProduceRequest;
  readonly #context: RequestContext;
  readonly #respond: Respond<ProduceResponse>;
  /** Filled in as partitions are done; the order is the request's. */
  readonly #responses: { name: string; partitionResponses: PartitionResponse[] }[] = [];
  /** Partitions not done yet, and one for the request itself while it is being handed out. */
  #pending = 1;
  #firstError: number = ErrorCode.NONE;

  constructor(
    services: BrokerServices,
    request: ProduceRequest,
    context: RequestContext,
    respond: Respond<ProduceResponse>,
  ) {
    this.#services = services;
    this.#request = request;
    this.#context = context;
    this.#respond = respond;
  }

  start(): void {
    const { replicas, metrics } = this.#services;
    const { acks, timeoutMs, topicData } = this.#request;
    const allowZstd = this.#context.apiVersion >= ZSTD_FROM;
    metrics.produceRequests += 1;
    for (const { name, partitionData } of topicData) {
      const partitionResponses: PartitionResponse[] = [];
      this.#responses.push({ name, partitionResponses });
      partitionData.forEach(({ index, records }, place) => {
        this.#pending += 1;
        const batch = records ?? NO_RECORDS;
        replicas.append(
          { topic: name, partition: index, batch, acks, timeoutMs, origin: 'client', allowZstd },
          (outcome) => {
            partitionResponses[place] = this.#partitionResponse(name, index, outcome);
            this.#partDone();
          },
        );
      });
    }
    this.#partDone();
  }

  #partitionResponse(topic: string, index: number, outcome: AppendOutcome): PartitionResponse {
    const { errorCode, errorMessage, baseOffset, logAppendTime, logStartOffset } = outcome;
    if (errorCode !== ErrorCode.NONE) {
      this.#services.metrics.failedProduceRequests += 1;
      if (this.#firstError === ErrorCode.NONE) this.#firstError = errorCode;
    }
    return {
      index,
      errorCode,
      errorMessage,
      baseOffset,
      logAppendTimeMs: logAppendTime,
      logStartOffset,
      recordErrors: [],
      ...(errorCode === ErrorCode.NOT_LEADER_OR_FOLLOWER && this.#context.apiVersion >= LEADER_HINT_FROM
        ? { currentLeader: this.#currentLeader(topic, index) }
        : {}),
    };
  }

  #currentLeader(topic: string, index: number): { leaderId: number; leaderEpoch: number } {
    const partition = this.#services.metadata.image.topics.get(topic)?.partitions[index];
    return { leaderId: partition?.leader ?? -1, leaderEpoch: partition?.leaderEpoch ?? -1 };
  }

  #partDone(): void {
    this.#pending -= 1;
    if (this.#pending > 0) return;
    if (this.#request.acks === 0) {
      if (this.#firstError !== ErrorCode.NONE) {
        this.#context.closeConnection(`a produce with acks=0 failed with error ${this.#firstError}`);
      }
      this.#respond(null);
      return;
    }
    const endpoints =
      this.#firstError === ErrorCode.NONE || this.#context.apiVersion < LEADER_HINT_FROM
        ? []
        : leaderEndpoints(
            this.#services.metadata.image,
            this.#context.listenerName,
            this.#responses.flatMap(({ partitionResponses }) =>
              partitionResponses.map(({ currentLeader }) => currentLeader?.leaderId ?? -1),
            ),
          );
    this.#respond({ responses: this.#responses, nodeEndpoints: endpoints });
  }
}
