/**
 * The cluster's metadata as this broker sees it, and the one way to change it.
 *
 * `image` is the fold of all committed records of `__cluster_metadata-0`. A change is a pure decision
 * (metadata-quorum) that looks at the image and gives records and an answer. Decisions run one after another, each on
 * an image that holds the records of all before it; `done` is called once the records are committed (written and
 * flushed) and this broker has applied them, so that a topic's leaders serve when its creation is answered.
 */
import type { ChangeOutcome, ClusterImage, Decision } from '@seatlog/metadata-quorum';

export type { ChangeOutcome } from '@seatlog/metadata-quorum';

export type ImageListener = (image: ClusterImage, previous: ClusterImage) => void;

export interface MetadataService {
  /** The latest committed image, already applied by this broker. */
  readonly image: ClusterImage;
  /** The active controller's node id, -1 if unknown. */
  readonly controllerId: number;
  readonly clusterId: string;
  /** This broker's node id. */
  readonly nodeId: number;

  change<Answer>(
    decide: (image: ClusterImage) => Decision<Answer>,
    done: (outcome: ChangeOutcome<Answer>) => void,
  ): void;

  /** Calls `listener` after each committed change, in order, once the replicas have applied it. */
  subscribe(listener: ImageListener): () => void;
}
