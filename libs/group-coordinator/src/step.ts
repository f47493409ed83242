/** One step of the coordinator: the moment at which it happens, and the effects it gathers in order. */
import type { GroupConfig } from './config.ts';
import type { GroupEffect } from './effects.ts';
import type { RequestToken } from './events.ts';
import type { PendingAppends, PendingWrite } from './pending-appends.ts';
import type { OffsetsRecord } from './records/offsets-record.ts';
import type { GroupResponse } from './responses.ts';
import type { TimerName } from './timers.ts';

type LogFields = Readonly<Record<string, string | number>>;

/**
 * Two readings of the same moment. What is written down bears the wall's time; deadlines go by the other, which no
 * operator can set back.
 */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since some start; it never falls. */
  readonly monotonic: number;
}

export class Step {
  readonly now: number;
  readonly monotonic: number;
  readonly config: GroupConfig;
  readonly effects: GroupEffect[] = [];
  readonly #appends: PendingAppends;

  constructor(moment: Moment, config: GroupConfig, appends: PendingAppends) {
    this.now = moment.now;
    this.monotonic = moment.monotonic;
    this.config = config;
    this.#appends = appends;
  }

  respond(token: RequestToken, response: GroupResponse): void {
    this.effects.push({ type: 'respond', token, response });
  }

  arm(timer: TimerName, delayMs: number): void {
    this.effects.push({ type: 'arm-timer', timer, delayMs: Math.max(0, delayMs) });
  }

  cancel(timer: TimerName): void {
    this.effects.push({ type: 'cancel-timer', timer });
  }

  /** Writes records; `write` says what is to happen once they are replicated, or are known not to be. */
  append(records: readonly OffsetsRecord[], write: PendingWrite): void {
    const appendId = this.#appends.add(write);
    this.effects.push({ type: 'append', appendId, records });
    this.arm({ kind: 'append', appendId }, this.config.commitTimeoutMs);
  }

  debug(message: string, fields: LogFields): void {
    this.effects.push({ type: 'log', level: 'debug', message, fields });
  }

  info(message: string, fields: LogFields): void {
    this.effects.push({ type: 'log', level: 'info', message, fields });
  }

  warn(message: string, fields: LogFields): void {
    this.effects.push({ type: 'log', level: 'warn', message, fields });
  }
}
