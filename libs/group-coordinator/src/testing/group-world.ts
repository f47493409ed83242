/**
 * A shard with everything around it played by hand: virtual time, a log that replicates when it is told to, and
 * clients that remember what they were answered.
 */
import { ManualClock, SeededRandom } from '@seatlog/runtime/testing';
import { defaultGroupConfig, type GroupConfig } from '../config.ts';
import type { GroupEffect } from '../effects.ts';
import type {
  GroupEvent,
  GroupRequest,
  GroupRequestBody,
  GroupRequestType,
  RequestToken,
} from '../events.ts';
import { GroupShard } from '../group-shard.ts';
import { ShardContents } from '../loading/shard-contents.ts';
import type { OffsetsRecord } from '../records/offsets-record.ts';
import type { GroupResponse, GroupResponseTo } from '../responses.ts';
import { timerKey } from '../timers.ts';
import { GroupActor, type ActorOptions } from './group-actor.ts';

/** A request that was sent. `answer` is undefined while it is parked. */
export interface Asked<Answer> {
  readonly answer: Answer | undefined;
}

interface HeldAppend {
  readonly appendId: number;
  readonly records: readonly OffsetsRecord[];
}

export class GroupWorld {
  readonly clock = new ManualClock();
  readonly random = new SeededRandom(1);
  readonly config: GroupConfig;
  /** What is replicated, oldest first. */
  readonly log: OffsetsRecord[] = [];
  readonly logLines: string[] = [];
  shard: GroupShard;
  #nextToken = 1;
  #answers = new Map<RequestToken, GroupResponse>();
  #timers = new Map<string, () => void>();
  #isHolding = false;
  #held: HeldAppend[] = [];
  #events: GroupEvent[] = [];
  #isRunning = false;

  constructor(config: Partial<GroupConfig> = {}, log: readonly OffsetsRecord[] = []) {
    this.config = { ...defaultGroupConfig, ...config };
    this.log.push(...log);
    this.shard = this.#load();
  }

  member(name: string, options: ActorOptions = {}): GroupActor {
    return new GroupActor(this, name, options);
  }

  advance(milliseconds: number): void {
    this.clock.advance(milliseconds);
  }

  ask<T extends GroupRequestType>(
    request: { readonly type: T } & GroupRequestBody<T>,
  ): Asked<GroupResponseTo<T>> {
    const token = this.#nextToken++;
    // With the token that was left out it is a request of that type again.
    this.send({ ...request, token } as unknown as GroupRequest);
    const answers = this.#answers;
    return {
      get answer() {
        // The shard answers a request with the response of its type.
        return answers.get(token) as GroupResponseTo<T> | undefined;
      },
    };
  }

  send(event: GroupEvent): void {
    this.#events.push(event);
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
      const moment = { now: this.clock.now(), monotonic: this.clock.monotonic() };
      for (const effect of this.shard.step(next, moment)) this.#carryOut(effect);
    }
    this.#isRunning = false;
  }

  /** From now on nothing is replicated. */
  holdAppends(): void {
    this.#isHolding = true;
  }

  /** What was held is settled, with success or with that error, and later appends are replicated at once. */
  releaseAppends(errorCode = 0): void {
    this.#isHolding = false;
    const held = this.#held;
    this.#held = [];
    for (const append of held) this.#settle(append, errorCode);
  }

  get heldAppends(): number {
    return this.#held.length;
  }

  /** The coordinator's node is gone with all it remembers; another one reads the log. */
  failOver(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#held = [];
    this.#isHolding = false;
    this.shard = this.#load();
  }

  get armedTimers(): number {
    return this.#timers.size;
  }

  contents(): ShardContents {
    const contents = new ShardContents();
    for (const { key, value } of this.log) contents.fold(key, value);
    return contents;
  }

  #load(): GroupShard {
    this.shard = new GroupShard(this.config, this.contents());
    this.send({ type: 'loaded' });
    return this.shard;
  }

  #carryOut(effect: GroupEffect): void {
    switch (effect.type) {
      case 'respond':
        if (this.#answers.has(effect.token)) throw new Error(`request ${effect.token} is answered twice`);
        this.#answers.set(effect.token, effect.response);
        return;
      case 'arm-timer': {
        const key = timerKey(effect.timer);
        this.#timers.get(key)?.();
        const cancel = this.clock.schedule(effect.delayMs, () => {
          this.#timers.delete(key);
          this.send({ type: 'timer-fired', timer: effect.timer });
        });
        this.#timers.set(key, cancel);
        return;
      }
      case 'cancel-timer': {
        const key = timerKey(effect.timer);
        this.#timers.get(key)?.();
        this.#timers.delete(key);
        return;
      }
      case 'append':
        if (this.#isHolding) this.#held.push(effect);
        else this.#settle(effect, 0);
        return;
      case 'log':
        this.logLines.push(effect.message);
    }
  }

  #settle({ appendId, records }: HeldAppend, errorCode: number): void {
    // NOT_ENOUGH_REPLICAS_AFTER_APPEND
    if (errorCode === 0 || errorCode === 20) this.log.push(...records);
    this.send({ type: 'appended', appendId, errorCode });
  }
}
