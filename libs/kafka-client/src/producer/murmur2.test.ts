import { describe, expect, it } from 'vitest';
import { murmur2, partitionOfKey } from './murmur2.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

describe('murmur2', () => {
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])("K12: gives the Java client's hash of %j", (key, hash) => {
    expect(murmur2(utf8(key))).toBe(hash);
  });

  it('K12: drops the sign bit before the remainder is taken', () => {
    expect(partitionOfKey(utf8('21'), 12)).toBe((-973932308 & 0x7fffffff) % 12);
    expect(partitionOfKey(utf8('abc'), 12)).toBe(479470107 % 12);
  });
});
