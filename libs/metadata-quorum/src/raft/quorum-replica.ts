/**
 * One node's part in the quorum of the metadata log: KRaft with static voters (`kraft.version` 0), as a pure state
 * machine.
 *
 *     unattached ──election time-out──▶ prospective ──a majority would──▶ candidate ──a majority does──▶ leader
 *     prospective ──refused, or time-out──▶ unattached, or follower if the leader of its epoch is known
 *     candidate ──refused, or time-out──▶ prospective, after a pause
 *     leader ──no majority fetches, `resign`, `shutdown`──▶ resigned ──election time-out──▶ prospective
 *     follower ──fetch time-out──▶ prospective (an observer: unattached)
 *     follower ──the leader resigns──▶ unattached
 *     any ──a greater epoch──▶ unattached, or follower where its leader is named
 *     unattached, prospective, candidate ──the leader of its epoch is named──▶ follower
 *
 * An observer is only ever unattached or follower. The only voter of a quorum elects itself within `started`.
 *
 * What it promises
 * - At most one leader in an epoch; no epoch is used twice by a node whose quorum-state file is kept.
 * - The high watermark never falls. A leader moves it to where a majority of voters holds the log SYNCED, and only once
 *   that covers a record of its own epoch; then what lies below it is in the log of every later leader.
 * - Every request is answered once: at once, or from a later step if it is a fetch that waits.
 * - It never truncates below the high watermark, nor begins a log anew before it: it throws `MetadataError`
 *   COMMITTED_RECORDS_LOST instead, for then some voter has lost what it had synced.
 *
 * What it expects
 * - `started` comes first. `QuorumLog` is then whole: `logStartOffset <= latestSnapshot end <= logEndOffset`, and all
 *   of it is synced.
 * - Effects are carried out in order, those of one step before the next step begins. `persist-state` is SYNCED before
 *   any later `send`, `respond` or append; if that fails the node must stop, having done none of what follows.
 * - `append`, `append-leader-change`, `truncate` and `install-snapshot` may finish later. What was asked for shows in
 *   `nextAppendOffset` at once, and in `logEndOffset` only when it is synced; `log-changed` is given then. Nothing may
 *   be told to another node, nor applied, on the strength of a write that is not synced: the replica sees to it by
 *   looking at `logEndOffset` alone.
 * - Answers are matched by `requestId`. Late, doubled and lost ones do no harm; nor do those to a former run of the
 *   process, whose ids are others.
 * - The caller runs `tick` when `nextDueAtMs` has come.
 * - The image is built of what lies below the high watermark, which `high-watermark` tells; at the start that is the
 *   latest snapshot.
 */
import type { Random } from '@seatlog/runtime';
import type { apis, RequestOf, ResponseInput } from '@seatlog/kafka-protocol';
import type { QuorumState } from '../quorum/quorum-state.ts';
import type { QuorumDescription } from './quorum-description.ts';
import type { LeaderAndEpoch, QuorumEffect } from './quorum-effects.ts';
import type { QuorumEvent } from './quorum-events.ts';
import type { LogBatch, QuorumLog } from './quorum-log.ts';
import type { QuorumMoment } from './quorum-moment.ts';
import type { QuorumSettings } from './quorum-settings.ts';

export interface QuorumReplicaOptions {
  readonly settings: QuorumSettings;
  readonly log: QuorumLog;
  /** What the quorum-state file says; null if there is none. */
  readonly storedState: QuorumState | null;
  readonly random: Pick<Random, 'fraction' | 'uint32'>;
}

export interface QuorumReplicaApi<Batch extends LogBatch = LogBatch> {
  step(event: QuorumEvent<Batch>, moment: QuorumMoment): readonly QuorumEffect<Batch>[];
  /** When `tick` is due, on the monotonic clock; Infinity if nothing is waited for. It may change with every step. */
  readonly nextDueAtMs: number;
  readonly leaderAndEpoch: LeaderAndEpoch;
  /** What is committed as far as this node knows; at the start, the end of its snapshot. */
  readonly highWatermark: number;
  /** Whether this node leads, its term begun or not. */
  readonly isLeader: boolean;
  /** For `/state` and metrics. */
  readonly description: QuorumDescription;
  /** Any node can be asked; one that does not lead answers NOT_LEADER_OR_FOLLOWER and says who does. */
  describeQuorum(request: RequestOf<typeof apis.describeQuorum>): ResponseInput<typeof apis.describeQuorum>;
}
