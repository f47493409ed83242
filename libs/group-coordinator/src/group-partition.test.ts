import { describe, expect, it } from 'vitest';
import { groupPartition, javaStringHash } from './group-partition.ts';

describe('groupPartition', () => {
  it("hashes as Java's String.hashCode does", () => {
    expect(javaStringHash('')).toBe(0);
    expect(javaStringHash('a')).toBe(97);
    expect(javaStringHash('hello')).toBe(99_162_322);
    expect(javaStringHash('polygenelubricants')).toBe(-2_147_483_648);
    // Two UTF-16 units beyond the basic plane: 0xd83c * 31 + 0xdfab.
    expect(javaStringHash('🎫')).toBe(0xd83c * 31 + 0xdfab);
  });

  it('takes the absolute value of a negative hash, not its lower bits', () => {
    expect(javaStringHash('seat-projector')).toBeLessThan(0);
    expect(groupPartition('seat-projector', 50)).toBe(-javaStringHash('seat-projector') % 50);
  });

  it('sends the one hash without a positive counterpart to partition 0', () => {
    expect(groupPartition('polygenelubricants', 50)).toBe(0);
    expect(groupPartition('polygenelubricants', 7)).toBe(0);
  });

  it('sends the empty group id to partition 0', () => {
    expect(groupPartition('', 50)).toBe(0);
  });
});
