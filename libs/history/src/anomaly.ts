/** What should not be in a history, by the names that Jepsen gives it. */
import type { PartitionName } from './history.ts';

export const anomalyKinds = [
  /** Acknowledged, never read, though later records of the partition were. */
  'lost-write',
  /** Acknowledged and never read, and nothing after it either: an anomaly once all has been read to the end. */
  'unseen',
  /** One value at two places. */
  'duplicate',
  /** Two values at one offset. */
  'inconsistent-offsets',
  /** Read, though its send had surely failed or its transaction was aborted. */
  'aborted-read',
  /** Read, and nobody ever sent it. */
  'unsent-read',
  /** A consumer went back without being moved. */
  'nonmonotonic-poll',
  /** A consumer passed over a record that is there. */
  'poll-skip',
  /** A producer's later record has an earlier offset. */
  'nonmonotonic-send',
  /** Transactions that overwrite each other in a circle. */
  'G0',
  /** Transactions that depend on each other in a circle, with at least one reading what another wrote. */
  'G1c',
] as const;

export type AnomalyKind = (typeof anomalyKinds)[number];

export interface Anomaly {
  readonly kind: AnomalyKind;
  /** Null for circles, which span partitions. */
  readonly partition: PartitionName | null;
  readonly message: string;
}
