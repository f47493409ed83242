/**
 * AlterPartitionReassignments 0-1: begins moves of partitions to other replicas, and cancels them. Answered once the
 * moves have begun; a move that needs no replica to catch up is over by then.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { reassignPartitions } from '@seatlog/metadata-quorum';
import { defineAdministration } from '../controller/administration.ts';

export const alterPartitionReassignments = defineAdministration(
  apis.alterPartitionReassignments,
  ({ metadata, topicCreation }) =>
    (request, _context, respond) => {
      const { allowReplicationFactorChange } = request;
      metadata.change(
        (image) => reassignPartitions(image, request, topicCreation.schema),
        (outcome) => {
          const failed = outcome.kind === 'failed';
          respond({
            throttleTimeMs: 0,
            allowReplicationFactorChange,
            errorCode: failed ? outcome.errorCode : ErrorCode.NONE,
            errorMessage: failed ? outcome.message : null,
            responses: failed ? [] : outcome.answer,
          });
        },
      );
    },
);
