/**
 * ElectLeaders 0-2: preferred and unclean elections, of named partitions or of all. Answered once the elections are
 * committed. Version 0 has no place for an error of the whole request: each partition gets it.
 */
import { apis, ErrorCode, type RequestOf } from '@seatlog/kafka-protocol';
import { electLeaders as decideElections } from '@seatlog/metadata-quorum';
import { defineAdministration } from '../controller/administration.ts';

const WHOLE_ERROR_FROM = 1;

export const electLeaders = defineAdministration(
  apis.electLeaders,
  ({ metadata, topicCreation }) =>
    (request, { apiVersion }, respond) => {
      const refuse = (errorCode: number, message: string | null): void =>
        respond({
          throttleTimeMs: 0,
          ...(apiVersion >= WHOLE_ERROR_FROM ? { errorCode } : {}),
          replicaElectionResults: refused(request, errorCode, message),
        });
      metadata.change(
        (image) => decideElections(image, request, topicCreation.schema),
        (outcome) => {
          if (outcome.kind === 'failed') return refuse(outcome.errorCode, outcome.message);
          const { errorCode, replicaElectionResults } = outcome.answer;
          if (errorCode !== ErrorCode.NONE) {
            return refuse(errorCode, `There is no election of type ${request.electionType}.`);
          }
          respond({
            throttleTimeMs: 0,
            replicaElectionResults: replicaElectionResults.map(({ topic, partitionResult }) => ({
              topic,
              partitionResult: [...partitionResult],
            })),
          });
        },
      );
    },
);

function refused(
  { topicPartitions }: RequestOf<typeof apis.electLeaders>,
  errorCode: number,
  errorMessage: string | null,
) {
  return (topicPartitions ?? []).map(({ topic, partitions }) => ({
    topic,
    partitionResult: partitions.map((partitionId) => ({ partitionId, errorCode, errorMessage })),
  }));
}
