/**
 * DescribeQuorum 0-2: passed on to the quorum's leader, which alone knows how far voters and observers have come. Where
 * none answers in time the partition says so, with the leader that this broker knows of.
 */
import { apis, ErrorCode, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import { defineHandler } from './handler.ts';

/** How long the leader may take, elections included. */
const LEADER_MS = 5000;

export const describeQuorum = defineHandler(
  apis.describeQuorum,
  (services) => (request, context, respond) => {
    const { controllerChannel } = services;
    controllerChannel.send(
      apis.describeQuorum,
      context.apiVersion,
      request,
      { timeoutMs: LEADER_MS },
      (outcome) =>
        respond(outcome.kind === 'answered' ? outcome.response : unanswered(request, outcome.reason)),
    );
  },
);

function unanswered(
  request: RequestOf<typeof apis.describeQuorum>,
  errorMessage: string,
): ResponseInput<typeof apis.describeQuorum> {
  const topics = request.topics.map(({ topicName, partitions }) => ({
    topicName,
    partitions: partitions.map(({ partitionIndex }) => ({
      partitionIndex,
      errorCode: ErrorCode.REQUEST_TIMED_OUT,
      errorMessage,
      leaderId: -1,
      leaderEpoch: -1,
      highWatermark: -1,
      currentVoters: [],
      observers: [],
    })),
  }));
  return { errorCode: ErrorCode.NONE, topics, nodes: [] };
}
