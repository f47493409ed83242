/** The APIs of administration, by key: served on a controller's listener, and passed on by brokers. */
import { createTopics } from '../handlers/19-create-topics.ts';
import { deleteTopics } from '../handlers/20-delete-topics.ts';
import { alterConfigs } from '../handlers/33-alter-configs.ts';
import { createPartitions } from '../handlers/37-create-partitions.ts';
import { electLeaders } from '../handlers/43-elect-leaders.ts';
import { incrementalAlterConfigs } from '../handlers/44-incremental-alter-configs.ts';
import { alterPartitionReassignments } from '../handlers/45-alter-partition-reassignments.ts';
import { listPartitionReassignments } from '../handlers/46-list-partition-reassignments.ts';
import { unregisterBroker } from '../handlers/64-unregister-broker.ts';
import type { AdministrationDefinition } from './administration.ts';

export const administrationHandlers: readonly AdministrationDefinition[] = [
  createTopics,
  deleteTopics,
  alterConfigs,
  createPartitions,
  electLeaders,
  incrementalAlterConfigs,
  alterPartitionReassignments,
  listPartitionReassignments,
  unregisterBroker,
];
