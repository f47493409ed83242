import type { Scenario } from '../session.ts';
import { apiVersions } from './api-versions.ts';
import { committingOffsets, findingCoordinators } from './committed.ts';
import { changingConfigs, describingConfigs, replacingConfigs } from './configs.ts';
import { fetching } from './fetch.ts';
import { joiningGroups, rebalancing, staticMembers } from './groups.ts';
import { producerIds, sequencedBatches } from './idempotence.ts';
import { clusterMetadata, movingPartitions, topicMetadata } from './metadata.ts';
import { deletingRecords, epochEnds, listingOffsets } from './offsets.ts';
import { brokenBatches, codecsAndTimes, producing } from './produce.ts';
import { assignedTopics, configuredTopics, creatingTopics, deletingTopics, growingTopics } from './topics.ts';

export const scenarios: readonly Scenario[] = [
  apiVersions,
  creatingTopics,
  assignedTopics,
  configuredTopics,
  growingTopics,
  deletingTopics,
  topicMetadata,
  clusterMetadata,
  movingPartitions,
  producing,
  brokenBatches,
  codecsAndTimes,
  producerIds,
  sequencedBatches,
  fetching,
  listingOffsets,
  epochEnds,
  deletingRecords,
  findingCoordinators,
  joiningGroups,
  staticMembers,
  rebalancing,
  committingOffsets,
  describingConfigs,
  changingConfigs,
  replacingConfigs,
];
