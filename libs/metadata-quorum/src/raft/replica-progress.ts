/**
 * How far the other replicas have come, as their leader knows from their fetches: what they hold synced, when they last
 * asked, and when they last held all.
 */
import { ZERO_UUID } from '@seatlog/kafka-protocol';
import type { QuorumMember } from './quorum-description.ts';
import type { QuorumMoment } from './quorum-moment.ts';

export class ReplicaProgress {
  readonly id: number;
  directoryId = ZERO_UUID;
  /** -1 until it has fetched in this epoch, in agreement with the leader's log. */
  logEndOffset = -1;
  /** Its last sign of life, monotonic; the beginning of the epoch before the first. */
  lastHeardMs: number;
  /** The high watermark that it was last told. */
  toldHighWatermark = -1;
  #lastFetchTimestamp = -1;
  #lastCaughtUpTimestamp = -1;
  /** The leader's log end at its last fetch. */
  #leaderEndThen = Infinity;

  constructor(id: number, moment: QuorumMoment) {
    this.id = id;
    this.lastHeardMs = moment.monotonic;
  }

  heard(directoryId: string, moment: QuorumMoment): void {
    this.directoryId = directoryId;
    this.lastHeardMs = moment.monotonic;
  }

  /** It holds all up to `logEndOffset`, and asks for more. */
  fetched(logEndOffset: number, leaderEnd: number, { now }: QuorumMoment): void {
    if (logEndOffset >= leaderEnd) this.#lastCaughtUpTimestamp = now;
    else if (logEndOffset >= this.#leaderEndThen) {
      this.#lastCaughtUpTimestamp = Math.max(this.#lastCaughtUpTimestamp, this.#lastFetchTimestamp);
    }
    this.#lastFetchTimestamp = now;
    this.#leaderEndThen = leaderEnd;
    this.logEndOffset = logEndOffset;
  }

  get member(): QuorumMember {
    return {
      id: this.id,
      directoryId: this.directoryId,
      logEndOffset: this.logEndOffset,
      lastFetchTimestamp: this.#lastFetchTimestamp,
      lastCaughtUpTimestamp: this.#lastCaughtUpTimestamp,
    };
  }
}
