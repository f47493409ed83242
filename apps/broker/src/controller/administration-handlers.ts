/** The APIs of administration, by key: served on a controller's listener, and passed on by brokers. */
import { createTopics } from '../handlers/19-create-topics.ts';
import { deleteTopics } from '../handlers/20-delete-topics.ts';
import { alterConfigs } from '../handlers/33-alter-configs.ts';
import { createPartitions } from '../handlers/37-create-partitions.ts';
import { incrementalAlterConfigs } from '../handlers/44-incremental-alter-configs.ts';
import type { AdministrationDefinition } from './administration.ts';

export const administrationHandlers: readonly AdministrationDefinition[] = [
  createTopics,
  deleteTopics,
  alterConfigs,
  createPartitions,
  incrementalAlterConfigs,
];
