import { describe, expect, it } from 'vitest';
import { sampleBatch } from '../client/sample-batch.ts';
import { DiskCondition } from '../disk/disk-condition.ts';
import { SimulatedLog } from '../disk/simulated-log.ts';
import { CommittedHistory } from './committed-history.ts';

/** A log of one leader’s epoch with a batch for each count, all written and committed. */
function logOf(name: string, leaderEpoch: number, counts: readonly number[]): SimulatedLog {
  const writes: (() => void)[] = [];
  const log = new SimulatedLog({
    durability: 'page-cache',
    writes: (_label, action) => writes.push(action),
    condition: new DiskCondition(),
    trusts: false,
  });
  counts.forEach((count, at) => log.append(sampleBatch(`${name}-${at}`, count, null), leaderEpoch, () => {}));
  for (const write of writes) write();
  log.updateHighWatermark(log.logEndOffset);
  return log;
}

function historyOf(log: SimulatedLog, epoch: number): CommittedHistory {
  const history = new CommittedHistory();
  for (const batch of log.batches) history.commit(batch, epoch);
  return history;
}

describe('R20: what is committed is missing from a log', () => {
  const lost = logOf('lost', 3, [2, 1, 3]);
  const history = historyOf(lost, 3);

  it('that holds another batch there', () => {
    const log = logOf('other', 0, [2, 2]);
    expect(history.missingFrom(log, 4)?.batch.baseOffset).toBe(0);
  });

  it('that begins inside of another batch, from that batch on', () => {
    const log = logOf('other', 0, [2, 2]);
    log.raiseLogStart(3);
    expect(history.missingFrom(log, 4)?.batch).toBe(lost.batches[1]);
  });

  it('but not where its records are deleted, nor where it begins inside of the same batch', () => {
    const log = logOf('lost', 3, [2, 1, 3]);
    log.raiseLogStart(5);
    expect(log.batches[0]?.baseOffset).toBe(3);
    expect(history.missingFrom(log, 4)).toBeNull();
  });

  it('only if it was committed in an epoch before', () => {
    expect(history.missingFrom(logOf('other', 0, [2, 2]), 3)).toBeNull();
  });
});
