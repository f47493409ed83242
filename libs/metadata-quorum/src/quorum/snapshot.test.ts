import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyImage } from '../image/cluster-image.ts';
import { foldAll } from '../image/image-draft.ts';
import { imageRecords } from '../image/image-records.ts';
import { MetadataError } from '../metadata-error.ts';
import { clusterStories, tell } from '../testing/cluster-story.ts';
import {
  decodeSnapshot,
  encodeSnapshot,
  parseSnapshotFileName,
  snapshotFileName,
  snapshotId,
} from './snapshot.ts';

function attempt<Result>(action: () => Result): Result | string {
  try {
    return action();
  } catch (error) {
    return error instanceof MetadataError ? error.code : String(error);
  }
}

describe('snapshots', () => {
  it('an image made of its own records is the same image', () => {
    fc.assert(
      fc.property(clusterStories, (story) => {
        const image = tell(story);
        expect(foldAll(emptyImage, [...imageRecords(image)], image.lastOffset, image.lastEpoch)).toEqual(
          image,
        );
      }),
    );
  });

  it('F26: give back the image, to the offset and epoch', () => {
    fc.assert(
      fc.property(clusterStories, (story) => {
        const image = tell(story);
        const bytes = Buffer.concat([...encodeSnapshot(image, 1_700_000_000_000)]);
        expect(decodeSnapshot(bytes, snapshotId(image))).toEqual({ image, lastTimestamp: 1_700_000_000_000 });
      }),
    );
  });

  it('F26: refuse to be loaded with anything cut off', () => {
    const image = tell([
      { kind: 'start', broker: 1 },
      { kind: 'create', topic: 'a', partitions: 3 },
    ]);
    const bytes = Buffer.concat([...encodeSnapshot(image, 0)]);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => decodeSnapshot(bytes.subarray(0, length), snapshotId(image))).toThrow(
        expect.objectContaining({ code: 'INCOMPLETE_SNAPSHOT' }),
      );
    }
  });

  it('F26: refuse to be loaded with a flipped bit in any batch', () => {
    const image = tell([
      { kind: 'start', broker: 1 },
      { kind: 'create', topic: 'a', partitions: 3 },
    ]);
    const whole = Buffer.concat([...encodeSnapshot(image, 0)]);
    for (let at = 16; at < whole.length; at += 7) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      // A flipped bit in the stamps outside of the checksum (offset, epoch) does no harm: the name says both.
      const outcome = attempt(() => decodeSnapshot(damaged, snapshotId(image)));
      expect([{ image, lastTimestamp: 0 }, 'INCOMPLETE_SNAPSHOT']).toContainEqual(outcome);
    }
  });
});

describe('names of snapshots', () => {
  it('are offset and epoch in fixed width', () => {
    const name = snapshotFileName({ endOffset: 1234, epoch: 5 });
    expect(name).toBe('00000000000000001234-0000000005.checkpoint');
    expect(parseSnapshotFileName(name)).toEqual({ endOffset: 1234, epoch: 5 });
  });

  it.each(['00000000000000001234.log', '1-1.checkpoint', '00000000000000001234-0000000005.checkpoint.tmp'])(
    'are not %s',
    (name) => {
      expect(parseSnapshotFileName(name)).toBeNull();
    },
  );
});
