import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordBatchWriter, stampBaseOffset, stampLeaderEpoch } from '@seatlog/kafka-protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkpointedHighWatermark, epochFile } from './checkpoint-files.ts';
import { dumpLines, dumpLog, valuesOf } from './dumped-log.ts';

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'seatlog-lab-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function batch(baseOffset: number, leaderEpoch: number, values: readonly string[]): Uint8Array {
  const writer = new RecordBatchWriter();
  for (const value of values) writer.append(1, null, value, undefined);
  const bytes = Uint8Array.from(writer.seal({}));
  stampBaseOffset(bytes, 0, baseOffset);
  stampLeaderEpoch(bytes, 0, leaderEpoch);
  return bytes;
}

describe('a dumped log', () => {
  it('is that of all segments, up to the last whole batch', () => {
    const folder = folderOfTest();
    const torn = batch(3, 1, ['new-2']).subarray(0, 40);
    writeFileSync(join(folder, '00000000000000000000.log'), batch(0, 0, ['ok-1', 'ok-2']));
    writeFileSync(join(folder, '00000000000000000002.log'), Buffer.concat([batch(2, 1, ['new-1']), torn]));
    const batches = dumpLog(folder);
    expect(valuesOf(batches)).toEqual(['ok-1', 'ok-2', 'new-1']);
    expect(dumpLines(batches)).toEqual([
      'batch offsets 0-1 (count 2) partitionLeaderEpoch=0',
      '  offset 0: ok-1',
      '  offset 1: ok-2',
      'batch offsets 2-2 (count 1) partitionLeaderEpoch=1',
      '  offset 2: new-1',
    ]);
  });
});

describe('checkpoint files', () => {
  it('tell epochs in a line, and nothing where there is no file', () => {
    const folder = folderOfTest();
    expect(epochFile(folder)).toBe('');
    writeFileSync(join(folder, 'leader-epoch-checkpoint'), '0\n2\n0 0\n1 10\n');
    expect(epochFile(folder)).toBe('0 2 0 0 1 10');
  });

  it('tell the high watermark of one partition', () => {
    const folder = folderOfTest();
    expect(checkpointedHighWatermark(folder, 'rep', 0)).toBeNull();
    writeFileSync(join(folder, 'replication-offset-checkpoint'), '0\n2\nother 0 5\nrep 0 18\n');
    expect(checkpointedHighWatermark(folder, 'rep', 0)).toBe(18);
    expect(checkpointedHighWatermark(folder, 'rep', 1)).toBeNull();
  });
});
