/**
 * The table of APIs that this broker serves. ApiVersions advertises exactly what stands here, in the ranges that
 * kafka-protocol states, so an API exists from the moment its line does. One line per API, by key.
 */
import { produce } from './00-produce.ts';
import { fetch } from './01-fetch.ts';
import { listOffsets } from './02-list-offsets.ts';
import { metadata } from './03-metadata.ts';
import { apiVersions } from './18-api-versions.ts';
import { createTopics } from './19-create-topics.ts';
import { deleteTopics } from './20-delete-topics.ts';
import { deleteRecords } from './21-delete-records.ts';
import { initProducerId } from './22-init-producer-id.ts';
import { offsetForLeaderEpoch } from './23-offset-for-leader-epoch.ts';
import { describeConfigs } from './32-describe-configs.ts';
import { createPartitions } from './37-create-partitions.ts';
import { incrementalAlterConfigs } from './44-incremental-alter-configs.ts';
import { describeCluster } from './60-describe-cluster.ts';
import type { HandlerDefinition } from './handler.ts';

export const handlerTable: readonly HandlerDefinition[] = [
  produce,
  fetch,
  listOffsets,
  metadata,
  apiVersions,
  createTopics,
  deleteTopics,
  deleteRecords,
  initProducerId,
  offsetForLeaderEpoch,
  describeConfigs,
  createPartitions,
  incrementalAlterConfigs,
  describeCluster,
];
