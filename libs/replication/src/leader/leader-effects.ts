/**
 * What a leader asks of its caller, to be carried out in order and before the next event.
 *
 * - `assign-leader-epoch`: note in the log's epoch cache where the epoch begins.
 * - `update-high-watermark`: tell the log.
 * - `propose-isr`, `withdraw-isr`: hand to the broker's `AlterPartitionChannel`; its `answer` comes back as an event.
 * - `end-wait`: answer the wait of that token, once, with the error code (0: done). For deletions `lowWatermark` is the
 *   lowest log start of the live replicas.
 * - `wake-fetches`: look at parked fetches again.
 * - `count`: raise the metric of that name.
 */
import type { PendingIsr } from '../isr/in-sync-replicas.ts';
import type { IsrProposal } from '../isr/isr-proposal.ts';
import type { LogLine } from '../log-line.ts';
import type { WakeFetches } from '../waiting-fetches.ts';

export type LeaderMetric = 'IsrShrinksPerSec' | 'IsrExpandsPerSec' | 'FailedIsrUpdatesPerSec';

export type LeaderEffect =
  | { readonly type: 'assign-leader-epoch'; readonly epoch: number; readonly startOffset: number }
  | { readonly type: 'update-high-watermark'; readonly highWatermark: number }
  | { readonly type: 'propose-isr'; readonly proposal: IsrProposal }
  | { readonly type: 'withdraw-isr'; readonly proposal: IsrProposal }
  | {
      readonly type: 'end-wait';
      readonly token: number;
      readonly errorCode: number;
      readonly lowWatermark: number;
    }
  | { readonly type: 'count'; readonly metric: LeaderMetric }
  | WakeFetches
  | LogLine;

/** What a proposal that was taken counts as. */
export function counted(proposed: PendingIsr['kind']): readonly LeaderEffect[] {
  switch (proposed) {
    case 'pending-expand':
      return [{ type: 'count', metric: 'IsrExpandsPerSec' }];
    case 'pending-shrink':
      return [{ type: 'count', metric: 'IsrShrinksPerSec' }];
    case 'pending-recovery':
      return [];
  }
}
