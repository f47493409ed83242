/**
 * IncrementalAlterConfigs 0-1: sets, deletes, appends to and subtracts from configs of topics. They take effect before
 * the answer. Configs of brokers stand in their files and are refused with INVALID_REQUEST.
 */
import { apis } from '@seatlog/kafka-protocol';
import { incrementalAlterConfigs as decideConfigs } from '@seatlog/metadata-quorum';
import { alterationFailed } from '../metadata/config-alteration.ts';
import { defineAdministration } from '../controller/administration.ts';

export const incrementalAlterConfigs = defineAdministration(
  apis.incrementalAlterConfigs,
  (services) => (request, _context, respond) => {
    services.metadata.change(
      (image) => decideConfigs(image, request, services.topicCreation.schema),
      (outcome) => {
        const responses =
          outcome.kind === 'committed' ? outcome.answer : alterationFailed(request.resources, outcome);
        respond({ throttleTimeMs: 0, responses });
      },
    );
  },
);
