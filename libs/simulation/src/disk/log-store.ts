/**
 * The logs of one broker's disk, as the rest of a simulation sees them: a fast model of them, or commit-log itself on a
 * file system in memory. Nothing else differs between the two.
 */
import type { LogOutcome, ReplicaLog } from '@seatlog/replication';
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { DiskCondition } from './disk-condition.ts';
import type { StoredBatch } from './stored-batch.ts';

export interface LeaderAppend {
  readonly baseOffset: number;
  readonly lastOffset: number;
}

export type LeaderAppendVerdict =
  /** It waits to be written, or the same batch does that came before it. */
  | ({ readonly kind: 'queued' } & LeaderAppend)
  /** It lies there already, from before. */
  | ({ readonly kind: 'duplicate' } & LeaderAppend)
  | { readonly kind: 'out-of-order' }
  /** The log takes nothing now. */
  | { readonly kind: 'refused' };

export type WriteDone = (outcome: LogOutcome) => void;

/** One partition's log. No `done` comes back within the call that it was given to. */
export interface BrokerLog extends ReplicaLog {
  /** Told when it takes no more, for now or for good. */
  failed: () => void;
  /** Whether it takes no more because of rot that was read. */
  readonly hasFoundRot: boolean;
  /** Rises with everything that takes batches away from the end. */
  readonly generation: number;
  /** What is written, in order. */
  readonly batches: readonly StoredBatch[];
  readonly epochs: readonly { readonly epoch: number; readonly startOffset: number }[];
  /** The place of the batch that holds the offset, or of the first one behind it. */
  placeOf(offset: number): number;
  assignLeaderEpoch(epoch: number, startOffset: number): void;
  updateHighWatermark(offset: number): void;
  /** A leader's append of one batch. `done` is called if it is queued. */
  append(batch: Uint8Array, leaderEpoch: number, done: WriteDone): LeaderAppendVerdict;
  /** A follower's append of whole batches as they are; they must continue the log. */
  appendAsFollower(records: Uint8Array, done: WriteDone): void;
  /**
   * Whole batches from the offset on, below the bound; the first one even if it is larger than `maxBytes`. Null if that
   * one is rotten: then the log takes no more.
   */
  read(offset: number, upperBound: number, maxBytes: number): Uint8Array | null;
  /** The next start looks for rot from where it was found on: others hold what is behind it. */
  distrust(): void;
  probeRoom(done: (hasRoom: boolean) => void): void;
  raiseLogStart(offset: number): void;
  truncateTo(offset: number, done: WriteDone): void;
  restartAt(offset: number, done: WriteDone): void;
  /** Why the producers' states are not what the batches give; null if they are. */
  producersProblem(): string | null;
}

export interface LogStore {
  readonly condition: DiskCondition;
  /** By partition. */
  readonly logs: ReadonlyMap<number, BrokerLog>;
  /** Made if it is not there. */
  log(partition: number): BrokerLog;
  /** Deletes a partition's log; there may be another one later. */
  remove(partition: number): void;
  checkpoint(): void;
  /** The kernel writes back what lies in the page cache. */
  writeBack(): void;
  /** What the process had handed to the kernel and was not told of may be written. */
  processDied(random: SeededRandom): void;
  /** What was not synced may be lost or torn. The process has died. */
  powerCut(random: SeededRandom): void;
  /** A bit of each log turns while nobody looks. */
  rot(random: SeededRandom): void;
  /** A bit turns in the records of the batch that begins there, whether or not a process runs. */
  rotAt(partition: number, baseOffset: number, random: SeededRandom): void;
  /** The disk is another, or empty. */
  wipe(): void;
  /** Ends a process well, with a mark that names its broker epoch. */
  close(brokerEpoch: number, random: SeededRandom): void;
  /** A process begins: gives the broker epoch of the clean stop before it, -1 if there was none, and takes the mark away. */
  recover(): number;
}
