/** What a Produce request is answered: one outcome for each of its partitions, in their order. */
import { type apis, ErrorCode, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import type { AppendOutcome } from '../replica-manager/replica-manager.ts';
import type { BrokerServices } from '../services.ts';
import { leaderEndpoints } from './leader-endpoints.ts';
import { LEADER_HINT_FROM } from './produce-versions.ts';

type TopicData = RequestOf<typeof apis.produce>['topicData'];
export type ProduceResponse = ResponseInput<typeof apis.produce>;
type PartitionResponse = ProduceResponse['responses'][number]['partitionResponses'][number];

/** There is an outcome for each batch; this stands for one that is not. */
const UNKNOWN_OUTCOME: AppendOutcome = {
  errorCode: ErrorCode.UNKNOWN_SERVER_ERROR,
  errorMessage: null,
  baseOffset: -1,
  logAppendTime: -1,
  logStartOffset: -1,
};

export class ProduceResponses {
  readonly #services: BrokerServices;

  constructor(services: BrokerServices) {
    this.#services = services;
  }

  of(
    topicData: TopicData,
    outcomes: readonly AppendOutcome[],
    context: { readonly apiVersion: number; readonly listenerName: string },
  ): ProduceResponse {
    const responses: { readonly name: string; readonly partitionResponses: PartitionResponse[] }[] = [];
    const leaders: number[] = [];
    let place = 0;
    for (const { name, partitionData } of topicData) {
      const partitionResponses: PartitionResponse[] = [];
      responses.push({ name, partitionResponses });
      for (const { index } of partitionData) {
        const outcome = outcomes[place++] ?? UNKNOWN_OUTCOME;
        const response = partitionResponse(index, outcome);
        partitionResponses.push(
          outcome.errorCode === ErrorCode.NONE
            ? response
            : this.#failed(name, response, context.apiVersion, leaders),
        );
      }
    }
    const nodeEndpoints =
      leaders.length === 0
        ? []
        : leaderEndpoints(this.#services.metadata.image, context.listenerName, leaders);
    return { responses, nodeEndpoints };
  }

  /** Where the version has a place for it, the producer is told who leads. */
  #failed(
    topic: string,
    response: PartitionResponse,
    apiVersion: number,
    leaders: number[],
  ): PartitionResponse {
    this.#services.metrics.failedProduceRequests += 1;
    const { errorCode, index } = response;
    if (errorCode !== ErrorCode.NOT_LEADER_OR_FOLLOWER || apiVersion < LEADER_HINT_FROM) return response;
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
