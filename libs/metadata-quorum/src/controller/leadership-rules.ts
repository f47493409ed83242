/**
 * By which rules the partitions of a topic get their leaders, as an image and the configs have it.
 */
import type { ClusterImage, PartitionImage } from '../image/cluster-image.ts';
import { isActive } from '../image/cluster-image.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';
import type { ConfigSchema } from './config-schema.ts';
import { ELR_FEATURE } from './features.ts';
import { onlyDirectory } from './partition-creation.ts';
import type { LeadershipRules, LeadershipTargets } from './partition-leadership.ts';
import { decideLeadership } from './partition-leadership.ts';
import { minInsyncReplicas, uncleanLeaderElection } from './topic-setting.ts';

export function leadershipRules(image: ClusterImage, schema: ConfigSchema, topic: string): LeadershipRules {
  return {
    mayLead: (id) => isActive(image.brokers.get(id)),
    minInsyncReplicas: minInsyncReplicas(image, schema, topic),
    uncleanElection: uncleanLeaderElection(image, schema, topic),
    elrEnabled: (image.features.get(ELR_FEATURE) ?? 0) > 0,
    directoryOf: (id) => onlyDirectory(image, id),
  };
}

/** The changes of all partitions for which `targetsOf` gives targets, by their topics' rules and what overrides them. */
export function leadershipChanges(
  image: ClusterImage,
  schema: ConfigSchema,
  targetsOf: (partition: PartitionImage, rules: LeadershipRules) => LeadershipTargets | null,
  overrides: Partial<LeadershipRules> = {},
): readonly MetadataRecord[] {
  const records: MetadataRecord[] = [];
  for (const topic of image.topics.values()) {
    const rules = { ...leadershipRules(image, schema, topic.name), ...overrides };
    for (const partition of topic.partitions) {
      const targets = targetsOf(partition, rules);
      const change = targets === null ? null : decideLeadership(topic.id, partition, targets, rules);
      if (change !== null) records.push(change);
    }
  }
  return records;
}
