/**
 * ListPartitionReassignments 0: the moves of partitions that are under way, as the active controller has them.
 */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { partitionMoves } from '@seatlog/metadata-quorum';
import { defineAdministration } from '../controller/administration.ts';

export const listPartitionReassignments = defineAdministration(
  apis.listPartitionReassignments,
  ({ metadata }) =>
    (request, _context, respond) => {
      // A change of nothing: its answer waits until what it has seen is committed.
      metadata.change(
        (image) => ({ records: [], answer: partitionMoves(image, request.topics) }),
        (outcome) => {
          const failed = outcome.kind === 'failed';
          respond({
            throttleTimeMs: 0,
            errorCode: failed ? outcome.errorCode : ErrorCode.NONE,
            errorMessage: failed ? outcome.message : null,
            topics: failed ? [] : outcome.answer,
          });
        },
      );
    },
);
