/**
 * AssignReplicasToDirs 0: a broker tells which of its replicas are lost to it. With one log directory there is nothing
 * else to assign: any other directory is taken as it is.
 */
import { apis, type ResponseInput } from '@seatlog/kafka-protocol';
import { LOST_DIRECTORY, loseReplicas } from '@seatlog/metadata-quorum';
import { defineControllerHandler } from '../../handlers/handler.ts';

type DirectoryResult = ResponseInput<typeof apis.assignReplicasToDirs>['directories'][number];

export const assignReplicasToDirs = defineControllerHandler(
  apis.assignReplicasToDirs,
  ({ metadata, topicCreation }) =>
    ({ brokerId, brokerEpoch, directories }, _context, respond) => {
      const replicas = directories
        .filter(({ id }) => id === LOST_DIRECTORY)
        .flatMap(({ topics }) =>
          topics.flatMap(({ topicId, partitions }) =>
            partitions.map(({ partitionIndex }) => ({ topicId, partitionIndex })),
          ),
        );
      metadata.change(
        (image) => loseReplicas(image, { brokerId, brokerEpoch, replicas }, topicCreation.schema),
        (outcome) => {
          const { errorCode } = outcome.kind === 'failed' ? outcome : outcome.answer;
          const lost = outcome.kind === 'failed' ? [] : outcome.answer.replicas;
          const errorOf = (topicId: string, partitionIndex: number): number =>
            lost.find((result) => result.topicId === topicId && result.partitionIndex === partitionIndex)
              ?.errorCode ?? errorCode;
          const results = directories.map(
            ({ id, topics }): DirectoryResult => ({
              id,
              topics: topics.map(({ topicId, partitions }) => ({
                topicId,
                partitions: partitions.map(({ partitionIndex }) => ({
                  partitionIndex,
                  errorCode: id === LOST_DIRECTORY ? errorOf(topicId, partitionIndex) : errorCode,
                })),
              })),
            }),
          );
          respond({ throttleTimeMs: 0, errorCode, directories: results });
        },
      );
    },
);
