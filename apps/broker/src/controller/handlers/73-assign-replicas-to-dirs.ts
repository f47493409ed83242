/** AssignReplicasToDirs 0: a broker tells in which of its directories replicas lie, and which are lost to it. */
import { apis, ErrorCode, type ResponseInput } from '@seatlog/kafka-protocol';
import { type AssignedDirectory, assignDirectories } from '@seatlog/metadata-quorum';
import { defineControllerHandler } from '../../handlers/handler.ts';

type DirectoryResult = ResponseInput<typeof apis.assignReplicasToDirs>['directories'][number];

export const assignReplicasToDirs = defineControllerHandler(
  apis.assignReplicasToDirs,
  ({ metadata, topicCreation }) =>
    ({ brokerId, brokerEpoch, directories }, _context, respond) => {
      const replicas = directories.flatMap(({ id, topics }) =>
        topics.flatMap(({ topicId, partitions }) =>
          partitions.map(({ partitionIndex }) => ({ topicId, partitionIndex, directoryId: id })),
        ),
      );
      metadata.change(
        (image) => assignDirectories(image, { brokerId, brokerEpoch, replicas }, topicCreation.schema),
        (outcome) => {
          const { errorCode } = outcome.kind === 'failed' ? outcome : outcome.answer;
          const assigned = outcome.kind === 'failed' ? [] : outcome.answer.replicas;
          respond({
            throttleTimeMs: 0,
            errorCode,
            directories: errorCode === ErrorCode.NONE ? byDirectory(assigned) : [],
          });
        },
      );
    },
);

function byDirectory(assigned: readonly AssignedDirectory[]): readonly DirectoryResult[] {
  return Array.from(
    Map.groupBy(assigned, ({ directoryId }) => directoryId),
    ([id, inDirectory]) => ({
      id,
      topics: Array.from(
        Map.groupBy(inDirectory, ({ topicId }) => topicId),
        ([topicId, partitions]) => ({
          topicId,
          partitions: partitions.map(({ partitionIndex, errorCode }) => ({ partitionIndex, errorCode })),
        }),
      ),
    }),
  );
}
