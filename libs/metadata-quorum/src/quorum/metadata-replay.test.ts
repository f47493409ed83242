import { describe, expect, it } from 'vitest';
import { emptyImage } from '../image/cluster-image.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';
import { MetadataReplay } from './metadata-replay.ts';

const topic = (name: string, id: string): MetadataRecord => ({ type: 'TopicRecord', name, topicId: id });

function batches(...contents: readonly (readonly MetadataRecord[])[]) {
  let baseOffset = 0;
  return contents.map((records) => {
    const lastOffset = baseOffset + records.length - 1;
    const batch = {
      kind: 'metadata',
      baseOffset,
      lastOffset,
      epoch: 1,
      timestamp: 100 + baseOffset,
      records,
    } as const;
    baseOffset = lastOffset + 1;
    return batch;
  });
}

function replayed(...contents: readonly (readonly MetadataRecord[])[]): MetadataReplay {
  const replay = new MetadataReplay();
  for (const batch of batches(...contents)) replay.apply(batch);
  return replay;
}

describe('MetadataReplay', () => {
  it('applies batches in order and keeps offset, epoch and time', () => {
    const replay = replayed([topic('a', 'A')], [topic('b', 'B'), { type: 'NoOpRecord' }]);
    expect([...replay.image.topics.keys()]).toEqual(['a', 'b']);
    expect(replay.image).toMatchObject({ lastOffset: 2, lastEpoch: 1 });
    expect(replay.nextOffset).toBe(3);
    expect(replay.lastTimestamp).toBe(101);
  });

  it('counts control batches, which change nothing else', () => {
    const replay = new MetadataReplay();
    replay.apply({
      kind: 'control',
      baseOffset: 0,
      lastOffset: 0,
      epoch: 4,
      timestamp: 1,
      records: [{ type: 'LeaderChange', leaderId: 1, voters: [1], grantingVoters: [1] }],
    });
    expect(replay.image).toEqual({ ...emptyImage, lastOffset: 0, lastEpoch: 4 });
  });

  it('F26: refuses a gap and a batch that comes twice', () => {
    const [first, second, third] = batches([topic('a', 'A')], [topic('b', 'B')], [topic('c', 'C')]);
    if (first === undefined || second === undefined || third === undefined) throw new Error('unreachable');
    const replay = new MetadataReplay();
    replay.apply(first);
    for (const wrong of [first, third]) {
      expect(() => replay.apply(wrong)).toThrow(expect.objectContaining({ code: 'FOLD_MISMATCH' }));
    }
    replay.apply(second);
    expect(replay.image.topics.size).toBe(2);
  });

  it('holds the records of a transaction back until it ends', () => {
    const replay = replayed([
      topic('a', 'A'),
      { type: 'BeginTransactionRecord', name: null },
      topic('b', 'B'),
    ]);
    expect([...replay.image.topics.keys()]).toEqual(['a']);
    expect(replay.image.lastOffset).toBe(0);
    const ended = replayed(
      [topic('a', 'A'), { type: 'BeginTransactionRecord', name: null }, topic('b', 'B')],
      [topic('c', 'C')],
      [{ type: 'EndTransactionRecord' }, topic('d', 'D')],
    );
    expect([...ended.image.topics.keys()]).toEqual(['a', 'b', 'c', 'd']);
    expect(ended.image.lastOffset).toBe(5);
  });

  it('drops the records of a transaction that is aborted', () => {
    const replay = replayed(
      [{ type: 'BeginTransactionRecord', name: null }, topic('a', 'A')],
      [{ type: 'AbortTransactionRecord', reason: null }, topic('b', 'B')],
    );
    expect([...replay.image.topics.keys()]).toEqual(['b']);
  });
});
