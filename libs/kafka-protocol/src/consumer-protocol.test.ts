import { describe, expect, it } from 'vitest';
import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from './consumer-protocol.ts';
import { hex, toHex } from './testing/hex.ts';
import { refusal } from './testing/refusal.ts';

const subscription = {
  topics: ['seats'],
  userData: null,
  ownedPartitions: [],
  generationId: -1,
  rackId: null,
};

describe('subscriptions', () => {
  it.each([
    [0, '0000 00000001 0005 7365617473 ffffffff'],
    [1, '0001 00000001 0005 7365617473 ffffffff 00000000'],
    [2, '0002 00000001 0005 7365617473 ffffffff 00000000 ffffffff'],
    [3, '0003 00000001 0005 7365617473 ffffffff 00000000 ffffffff ffff'],
  ])('are laid out as version %i says', (version, bytes) => {
    expect(toHex(encodeSubscription(subscription, version))).toBe(toHex(hex(bytes)));
    expect(decodeSubscription(hex(bytes))).toEqual(subscription);
  });

  it('of a later version are read as the highest one known', () => {
    expect(
      decodeSubscription(hex('0009 00000001 0005 7365617473 ffffffff 00000000 ffffffff ffff beef')),
    ).toEqual(subscription);
  });

  it('F42: with a negative version or cut off are refused', () => {
    expect(refusal(() => decodeSubscription(hex('ffff 00000000 ffffffff')))).toBe('UNSUPPORTED_VERSION');
    expect(refusal(() => decodeSubscription(hex('0001 00000000 ffffffff')))).toBe('TRUNCATED');
    expect(refusal(() => decodeSubscription(hex('0000 7fffffff 0001 61')))).toBe('COUNT_OUT_OF_BOUNDS');
  });
});

describe('assignments', () => {
  it('are laid out as Kafka lays them out', () => {
    const bytes = '0001 00000001 0005 7365617473 00000002 00000000 00000003 ffffffff';
    const assignment = { assignedPartitions: [{ topic: 'seats', partitions: [0, 3] }], userData: null };
    expect(toHex(encodeAssignment(assignment, 1))).toBe(toHex(hex(bytes)));
    expect(decodeAssignment(hex(bytes))).toEqual(assignment);
  });

  it('of no bytes at all are those of a member without partitions', () => {
    expect(decodeAssignment(new Uint8Array(0))).toEqual({ assignedPartitions: [], userData: null });
  });
});
