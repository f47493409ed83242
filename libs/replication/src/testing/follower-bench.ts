/** A follower with its log and a clock that the test moves; effects on the log are carried out when they are asked for. */
import type { FollowerEffect } from '../follower/follower-effects.ts';
import type { FetchedPartition, FetchPosition, FollowerEvent } from '../follower/follower-events.ts';
import { PartitionFollower } from '../follower/partition-follower.ts';
import type { Moment } from '../moment.ts';
import { MemoryLog } from './memory-log.ts';
import { answerWith } from './parked-fetches.ts';
import { TOPIC_ID } from './simulated-settings.ts';

export const BACKOFF_MS = 1000;

export class FollowerBench {
  readonly log: MemoryLog;
  readonly follower: PartitionFollower;
  readonly effects: FollowerEffect[] = [];
  /** What was asked of the log and is not done yet. */
  readonly #asked: (() => void)[] = [];
  #monotonic = 100_000;
  #requestId = 0;

  constructor(log: MemoryLog = new MemoryLog(), leaderEpoch = 0) {
    this.log = log;
    this.follower = new PartitionFollower({
      identity: { topic: 'demo', topicId: TOPIC_ID, partition: 0 },
      log,
      fetchBackoffMs: BACKOFF_MS,
    });
    this.follow(2, leaderEpoch);
  }

  get moment(): Moment {
    return { now: 1_700_000_000_000, monotonic: this.#monotonic };
  }

  get kind(): string {
    return this.follower.state.kind;
  }

  get lines(): readonly string[] {
    return this.effects.flatMap((effect) => (effect.type === 'log' ? [effect.message] : []));
  }

  get lastRequestId(): number {
    return this.#requestId;
  }

  advance(milliseconds: number): void {
    this.#monotonic += milliseconds;
  }

  follow(leaderId: number, leaderEpoch: number): void {
    this.step({ type: 'follow', leaderId, leaderEpoch });
  }

  step(event: FollowerEvent): readonly FollowerEffect[] {
    const effects = this.follower.step(event, this.moment);
    this.effects.push(...effects);
    for (const effect of effects) this.#carryOut(effect);
    return effects;
  }

  get isDue(): boolean {
    return this.follower.dueAtMs <= this.#monotonic;
  }

  fetch(): FetchPosition {
    if (!this.isDue) throw new Error(`not to be fetched for while it is ${this.kind}`);
    return this.follower.takePosition(++this.#requestId);
  }

  /** The answer to the last fetch, unless another is named. */
  answer(given: Partial<FetchedPartition>, requestId: number = this.#requestId): readonly FollowerEffect[] {
    return this.step({ type: 'fetched', requestId, answer: answerWith(given) });
  }

  /** The log has done what it was asked for. */
  settle(): void {
    for (const action of this.#asked.splice(0)) action();
  }

  /** Fetches, gets the answer, and lets the log do what follows from it. */
  exchange(given: Partial<FetchedPartition>): readonly FollowerEffect[] {
    this.fetch();
    const effects = this.answer(given);
    this.settle();
    return effects;
  }

  #carryOut(effect: FollowerEffect): void {
    switch (effect.type) {
      case 'append':
        this.#asked.push(() => {
          const outcome = this.log.appendAsFollower(effect.records) ? 'done' : 'retry';
          this.step({ type: 'appended', outcome });
        });
        return;
      case 'truncate':
        this.#asked.push(() => {
          this.log.truncateTo(effect.offset);
          this.step({ type: 'truncated', outcome: 'done' });
        });
        return;
      case 'restart-log':
        this.#asked.push(() => {
          this.log.restartAt(effect.offset);
          this.step({ type: 'truncated', outcome: 'done' });
        });
        return;
      case 'update-high-watermark':
        this.log.updateHighWatermark(effect.highWatermark);
        return;
      case 'raise-log-start':
        this.log.raiseLogStart(effect.logStartOffset);
        return;
      default:
    }
  }
}
