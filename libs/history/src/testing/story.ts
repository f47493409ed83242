/** Histories told in a line each. */
import { checkHistory } from '../check-history.ts';
import type { AnomalyKind } from '../anomaly.ts';
import type { Action, PartitionName, PolledRecord } from '../history.ts';
import { HistoryRecorder } from '../history-recorder.ts';

export const PARTITION = 'seats-0';

export class Story {
  readonly recorder = new HistoryRecorder();

  sent(value: number, offset: number, process = 'producer', partition: PartitionName = PARTITION): this {
    this.recorder.begin(process, [{ kind: 'send', partition, value, offset: null }]).succeeded([offset]);
    return this;
  }

  refused(value: number, process = 'producer'): this {
    this.recorder.begin(process, [{ kind: 'send', partition: PARTITION, value, offset: null }]).failed();
    return this;
  }

  unanswered(value: number, process = 'producer'): this {
    this.recorder.begin(process, [{ kind: 'send', partition: PARTITION, value, offset: null }]).unknown();
    return this;
  }

  /** `[offset, value]` each. */
  polled(records: readonly PolledRecord[], process = 'reader', partition: PartitionName = PARTITION): this {
    this.recorder.polled(process, partition, records);
    return this;
  }

  moved(process = 'reader', partitions: readonly PartitionName[] | null = null): this {
    this.recorder.repositioned(process, partitions);
    return this;
  }

  committed(process: string, actions: readonly Action[]): this {
    const offsets = actions.flatMap((action) => (action.kind === 'send' ? [action.offset] : []));
    this.recorder.begin(process, actions).succeeded(offsets);
    return this;
  }

  anomalies(): readonly AnomalyKind[] {
    return checkHistory(this.recorder.history).map(({ kind }) => kind);
  }
}

export const send = (partition: PartitionName, value: number, offset: number): Action => ({
  kind: 'send',
  partition,
  value,
  offset,
});

export const poll = (partition: PartitionName, ...records: readonly PolledRecord[]): Action => ({
  kind: 'poll',
  partition,
  records,
});
