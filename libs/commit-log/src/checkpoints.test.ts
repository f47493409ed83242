import { describe, expect, it } from 'vitest';
import { decodeLeaderEpochs, encodeLeaderEpochs } from './leader-epoch-file-cache.ts';
import { decodeOffsetCheckpoint, encodeOffsetCheckpoint } from './offset-checkpoint.ts';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('offset checkpoints', () => {
  it('R9: are a version, a count, and lines of topic, partition and offset', () => {
    const offsets = new Map([
      ['seats-1', 40],
      ['a-topic-with-dashes-0', 9_007_199_254_740_991],
      ['seats-0', 18],
    ]);
    const encoded = encodeOffsetCheckpoint(offsets);
    expect(text(encoded)).toBe('0\n3\na-topic-with-dashes 0 9007199254740991\nseats 0 18\nseats 1 40\n');
    expect(decodeOffsetCheckpoint(encoded)).toEqual(offsets);
  });

  it.each([
    ['is empty', ''],
    ['has another version', '1\n0\n'],
    ['counts more lines than it has', '0\n2\nseats 0 18\n'],
    ['counts fewer lines than it has', '0\n0\nseats 0 18\n'],
    ['ends within a line', '0\n1\nseats 0 1'],
    ['has a negative offset', '0\n1\nseats 0 -5\n'],
    ['has an offset beyond numbers', '0\n1\nseats 0 9007199254740993\n'],
    ['is no text', '\0\0\0\0'],
  ])('F6: are refused when the file %s', (_, contents) => {
    expect(decodeOffsetCheckpoint(bytes(contents))).toBeNull();
  });
});

describe('the leader epoch checkpoint', () => {
  it('R21: is a version, a count, and lines of epoch and start offset', () => {
    const entries = [
      { epoch: 0, startOffset: 0 },
      { epoch: 1, startOffset: 10 },
    ];
    expect(text(encodeLeaderEpochs(entries))).toBe('0\n2\n0 0\n1 10\n');
    expect(decodeLeaderEpochs(bytes('0\n2\n0 0\n1 10\n'))).toEqual(entries);
  });

  it.each(['0\n2\n1 0\n0 10\n', '0\n2\n0 10\n1 10\n', '0\n1\n0\n', '0\n1\nx 1\n', ''])(
    'F6: is refused when it is %j',
    (contents) => {
      expect(decodeLeaderEpochs(bytes(contents))).toBeNull();
    },
  );
});
