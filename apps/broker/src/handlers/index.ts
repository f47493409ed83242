/**
 * The table of APIs that this broker serves. ApiVersions advertises exactly what stands here, in the ranges that
 * kafka-protocol states, so an API exists from the moment its line does. One line per API, by key.
 */
import { produce } from './00-produce.ts';
import { fetch } from './01-fetch.ts';
import { listOffsets } from './02-list-offsets.ts';
import { apiVersions } from './18-api-versions.ts';
import { offsetForLeaderEpoch } from './23-offset-for-leader-epoch.ts';
import type { HandlerDefinition } from './handler.ts';

export const handlerTable: readonly HandlerDefinition[] = [
  produce,
  fetch,
  listOffsets,
  apiVersions,
  offsetForLeaderEpoch,
];
