/**
 * AlterConfigs 0-2: replaces all configs of topics; what is not named returns to its default. Older than
 * IncrementalAlterConfigs, and still what some clients send.
 */
import { apis } from '@seatlog/kafka-protocol';
import { replaceConfigs } from '@seatlog/metadata-quorum';
import { alterationFailed } from '../metadata/config-alteration.ts';
import { defineAdministration } from '../controller/administration.ts';

export const alterConfigs = defineAdministration(
  apis.alterConfigs,
  (services) => (request, _context, respond) => {
    services.metadata.change(
      (image) => replaceConfigs(image, request, services.topicCreation.schema),
      (outcome) => {
        const responses =
          outcome.kind === 'committed' ? outcome.answer : alterationFailed(request.resources, outcome);
        respond({ throttleTimeMs: 0, responses });
      },
    );
  },
);
