/**
 * UnregisterBroker 0: forgets a broker that will not come back. It leaves every ISR and leadership; its place in
 * assignments stays until the partitions are moved. A broker that is alive finds out by its next heartbeat.
 */
import { apis } from '@seatlog/kafka-protocol';
import { unregisterBroker as decideUnregistration } from '@seatlog/metadata-quorum';
import { defineAdministration } from '../controller/administration.ts';

export const unregisterBroker = defineAdministration(
  apis.unregisterBroker,
  ({ metadata, topicCreation }) =>
    (request, _context, respond) => {
      metadata.change(
        (image) => decideUnregistration(image, request.brokerId, topicCreation.schema),
        (outcome) => {
          const { errorCode, errorMessage } =
            outcome.kind === 'committed'
              ? outcome.answer
              : { errorCode: outcome.errorCode, errorMessage: outcome.message };
          respond({ throttleTimeMs: 0, errorCode, errorMessage });
        },
      );
    },
);
