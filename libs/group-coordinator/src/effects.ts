/**
 * What the caller has to do after a step, in order.
 *
 * - `respond`: answer the request of that token.
 * - `arm-timer`: give `timer-fired` back after the delay; replaces a timer of the same name.
 * - `cancel-timer`: that timer is not wanted any more.
 * - `append`: write the records as one batch to the partition and give `appended` back exactly once, with 0 only when
 *   they are replicated (acks=all). Appends must be written in the order of their ids, and the successful ones settled
 *   in that order. The coordinator keeps its own time (`append` timers): the caller waits for the high watermark
 *   without a limit.
 * - `log`: tell the operator.
 */
import type { RequestToken } from './events.ts';
import type { OffsetsRecord } from './records/offsets-record.ts';
import type { GroupResponse } from './responses.ts';
import type { TimerName } from './timers.ts';

export type GroupEffect =
  | { readonly type: 'respond'; readonly token: RequestToken; readonly response: GroupResponse }
  | { readonly type: 'arm-timer'; readonly timer: TimerName; readonly delayMs: number }
  | { readonly type: 'cancel-timer'; readonly timer: TimerName }
  | { readonly type: 'append'; readonly appendId: number; readonly records: readonly OffsetsRecord[] }
  | {
      readonly type: 'log';
      readonly level: 'debug' | 'info' | 'warn';
      readonly message: string;
      readonly fields: Readonly<Record<string, string | number>>;
    };
