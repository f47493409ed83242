/**
 * The features of the cluster and their levels, as Kafka names them. The levels say in which versions records are
 * written; all nodes of a cluster must know them.
 */
import type { ClusterImage } from '../image/cluster-image.ts';
import type { FeatureRange, MetadataRecord } from '../records/metadata-record.ts';

export const METADATA_VERSION_FEATURE = 'metadata.version';
export const ELR_FEATURE = 'eligible.leader.replicas.version';

/** What this release can do. Level 29 of the metadata is that of Kafka 4.2. */
export const supportedFeatures: readonly FeatureRange[] = [
  { name: METADATA_VERSION_FEATURE, minSupportedVersion: 7, maxSupportedVersion: 29 },
  { name: ELR_FEATURE, minSupportedVersion: 0, maxSupportedVersion: 1 },
];

/** The first records of a cluster: each supported feature at its highest level. None if the cluster has features. */
export function bootstrapRecords(image: ClusterImage): readonly MetadataRecord[] {
  if (image.features.size > 0) return [];
  return supportedFeatures.map(({ name, maxSupportedVersion }) => ({
    type: 'FeatureLevelRecord',
    name,
    featureLevel: maxSupportedVersion,
  }));
}
