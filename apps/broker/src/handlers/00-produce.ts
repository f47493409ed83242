/**
 * Produce: one record batch per partition, appended as it came. The batch's header and CRC are checked, offset and
 * leader epoch stamped in place. acks 1 is answered when the leader's log has the batch, -1 when the high watermark
 * has passed it; acks 0 is never answered, and an error closes the connection, so that the producer looks up the
 * leader again. Transactional batches are refused. A request is answered when all its partitions are.
 */
import { apis, ErrorCode, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import type { AppendOutcome, PartitionBatch, ProduceAnswer } from '../replica-manager/replica-manager.ts';
import type { BrokerServices } from '../services.ts';
import { defineHandler, type RequestContext, type Respond } from './handler.ts';
import { leaderEndpoints } from './leader-endpoints.ts';

type ProduceRequest = RequestOf<typeof apis.produce>;
type ProduceResponse = ResponseInput<typeof apis.produce>;
type PartitionResponse = ProduceResponse['responses'][number]['partitionResponses'][number];

const ZSTD_FROM = 7;
const LEADER_HINT_FROM = 10;
const NO_RECORDS = new Uint8Array(0);
/** There is an outcome for each batch; this stands for one that is not. */
const UNKNOWN_OUTCOME: AppendOutcome = {
  errorCode: ErrorCode.UNKNOWN_SERVER_ERROR,
  errorMessage: null,
  baseOffset: -1,
  logAppendTime: -1,
  logStartOffset: -1,
};

export const produce = defineHandler(
  apis.produce,
  (services) => (request, context, respond) =>
    new ProduceExchange(services, request, context, respond).start(),
  { pipelined: true },
);

class ProduceExchange {
  readonly #services: BrokerServices;
  readonly #request: ProduceRequest;
  readonly #context: RequestContext;
  readonly #respond: Respond<ProduceResponse>;

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
        this.#respond(this.#response(answer.outcomes));
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

  /** Outcomes stand in the order of the request. */
  #response(outcomes: readonly AppendOutcome[]): ProduceResponse {
    const responses: { readonly name: string; readonly partitionResponses: PartitionResponse[] }[] = [];
    const leaders: number[] = [];
    let place = 0;
    for (const { name, partitionData } of this.#request.topicData) {
      const partitionResponses: PartitionResponse[] = [];
      responses.push({ name, partitionResponses });
      for (const { index } of partitionData) {
        const outcome = outcomes[place++] ?? UNKNOWN_OUTCOME;
        const response = partitionResponse(index, outcome);
        partitionResponses.push(
          outcome.errorCode === ErrorCode.NONE ? response : this.#failed(name, response, leaders),
        );
      }
    }
    const nodeEndpoints =
      leaders.length === 0
        ? []
        : leaderEndpoints(this.#services.metadata.image, this.#context.listenerName, leaders);
    return { responses, nodeEndpoints };
  }

  /** Where the version has a place for it, the producer is told who leads. */
  #failed(topic: string, response: PartitionResponse, leaders: number[]): PartitionResponse {
    this.#services.metrics.failedProduceRequests += 1;
    const { errorCode, index } = response;
    if (errorCode !== ErrorCode.NOT_LEADER_OR_FOLLOWER || this.#context.apiVersion < LEADER_HINT_FROM) {
      return response;
    }
    const currentLeader = this.#currentLeader(topic, index);
    leaders.push(currentLeader.leaderId);
    return { ...response, currentLeader };
  }

  #currentLeader(topic: string, index: number): { leaderId: number; leaderEpoch: number } {
    const partition = this.#services.metadata.image.topics.get(topic)?.partitions[index];
    return { leaderId: partition?.leader ?? -1, leaderEpoch: partition?.leaderEpoch ?? -1 };
  }
}

function partitionResponse(index: number, outcome: AppendOutcome): PartitionResponse {
  const { errorCode, errorMessage, baseOffset, logAppendTime, logStartOffset } = outcome;
  return {
    index,
    errorCode,
    errorMessage,
    baseOffset,
    logAppendTimeMs: logAppendTime,
    logStartOffset,
    recordErrors: [],
  };
}
