/**
 * CreatePartitions 0-3: one result for each topic named; answered once the leaders of the added partitions serve.
 */
import { apis } from '@seatlog/kafka-protocol';
import { createPartitions as decidePartitions } from '@seatlog/metadata-quorum';
import { defineAdministration } from '../controller/administration.ts';

export const createPartitions = defineAdministration(
  apis.createPartitions,
  (services) => (request, _context, respond) => {
    services.metadata.change(
      (image) => decidePartitions(image, request, services.topicCreation.random),
      (outcome) => {
        if (outcome.kind === 'committed') {
          respond({ throttleTimeMs: 0, results: outcome.answer });
          return;
        }
        const { errorCode, message } = outcome;
        const results = request.topics.map(({ name }) => ({ name, errorCode, errorMessage: message }));
        respond({ throttleTimeMs: 0, results });
      },
    );
  },
);
