import { describe, expect, it } from 'vitest';
import { LogError } from './log-error.ts';
import {
  asideDirectoryName,
  asideReasonOf,
  parsePartitionName,
  requirePartitionName,
} from './partition-name.ts';

const ID = Uint8Array.from({ length: 16 }, (_, place) => place);

describe('names of partitions', () => {
  it.each(['', '.', '..', 'a/b', '../etc', 'a b', 'ä', 'a\0b', 'x'.repeat(250)])(
    'F46: %j is refused before it comes near the disk',
    (topic) => {
      expect(() => requirePartitionName(topic, 0)).toThrow(LogError);
    },
  );

  it.each([-1, 1.5, Number.NaN, 2 ** 31])('F46: partition %d is refused', (partition) => {
    expect(() => requirePartitionName('seats', partition)).toThrow(
      /PARTITION_NAME_INVALID|cannot be the name/,
    );
  });

  it.each([
    'seats',
    'a.b_c-d',
    '...',
    '-',
    'seats-0',
    'x'.repeat(249),
    '__cluster_metadata',
    'a-delete',
    '0',
  ])('F46: %j is a directory and is found again', (topic) => {
    const name = requirePartitionName(topic, 12);
    expect(parsePartitionName(name)).toEqual({ topic, partition: 12 });
  });

  it.each(['seats', 'seats-', 'seats-x', 'seats-01', 'seats-2147483648', '.-0', '..-0', '.lock'])(
    '%j is no partition’s directory',
    (name) => {
      expect(parsePartitionName(name)).toBeNull();
    },
  );

  it('F13: a directory on its way out is known by its name, which fits a file system', () => {
    const name = asideDirectoryName(`${'x'.repeat(249)}-1000`, ID, 'delete');
    expect(name).toMatch(/^x+\.000102030405060708090a0b0c0d0e0f-delete$/);
    expect(name.length).toBeLessThanOrEqual(255);
    expect([asideReasonOf(name), parsePartitionName(name)]).toEqual(['delete', null]);
    expect(asideReasonOf(asideDirectoryName('seats-0', ID, 'stray'))).toBe('stray');
    expect(asideReasonOf('seats-0')).toBeNull();
  });
});
