import { describe, expect, it } from 'vitest';
import { leaderHighWatermark } from './leader-high-watermark.ts';

const base = { highWatermark: 5, replicaCount: 3, minInsyncReplicas: 1 };

describe('leaderHighWatermark', () => {
  it('R7: is the least log end offset of the in-sync replicas', () => {
    expect(leaderHighWatermark({ ...base, logEndOffsets: [12, 9, 10] })).toBe(9);
    expect(leaderHighWatermark({ ...base, logEndOffsets: [12] })).toBe(12);
  });

  it('R8: never falls', () => {
    expect(leaderHighWatermark({ ...base, logEndOffsets: [12, 3] })).toBe(5);
  });

  it('R8: does not rise while the ISR is smaller than the minimum or the replicas', () => {
    expect(leaderHighWatermark({ ...base, minInsyncReplicas: 2, logEndOffsets: [12] })).toBe(5);
    expect(leaderHighWatermark({ ...base, minInsyncReplicas: 2, logEndOffsets: [12, 11] })).toBe(11);
    expect(leaderHighWatermark({ ...base, replicaCount: 1, minInsyncReplicas: 2, logEndOffsets: [12] })).toBe(
      12,
    );
  });
});
