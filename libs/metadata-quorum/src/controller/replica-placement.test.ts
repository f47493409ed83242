import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrorCode } from '@seatlog/kafka-protocol';
import { SeededRandom } from '@seatlog/runtime/testing';
import { TestCluster, testSchema } from '../testing/cluster.ts';
import { beginControlledShutdown, fenceBroker } from './broker-lifecycle.ts';
import { placeReplicas } from './replica-placement.ts';

function cluster(racks: readonly (string | null)[]): TestCluster {
  const made = new TestCluster();
  for (const [id, rack] of racks.entries()) made.start(id, rack);
  return made;
}

/** The random start is fixed, so that results can be written down. */
const fromStart = (start: number) => ({
  uint32: () => start,
  bytes: () => new Uint8Array(16),
  fraction: () => 0,
});

describe('placeReplicas', () => {
  it('puts all partitions on the only broker', () => {
    const { image } = cluster([null]);
    expect(placeReplicas(image, { partitions: 3, replicationFactor: 1 }, new SeededRandom(7))).toEqual([
      [0],
      [0],
      [0],
    ]);
  });

  it('walks around the ring with leaders and shifts followers with each round', () => {
    const { image } = cluster([null, null, null]);
    expect(placeReplicas(image, { partitions: 6, replicationFactor: 2 }, fromStart(0))).toEqual([
      [0, 1],
      [1, 2],
      [2, 0],
      [0, 2],
      [1, 0],
      [2, 1],
    ]);
  });

  it('begins where the random start says', () => {
    const { image } = cluster([null, null, null]);
    expect(placeReplicas(image, { partitions: 2, replicationFactor: 1 }, fromStart(2))).toEqual([[2], [0]]);
  });

  it('goes on where a topic that grows ended', () => {
    const { image } = cluster([null, null, null]);
    const whole = placeReplicas(image, { partitions: 7, replicationFactor: 2 }, fromStart(1));
    const grown = placeReplicas(
      image,
      { partitions: 3, replicationFactor: 2, firstPartition: 4 },
      fromStart(1),
    );
    expect(grown).toEqual(whole.slice(4));
  });

  it('refuses more replicas than there are brokers', () => {
    const { image } = cluster([null]);
    expect(() => placeReplicas(image, { partitions: 1, replicationFactor: 3 }, fromStart(0))).toThrow(
      expect.objectContaining({ errorCode: ErrorCode.INVALID_REPLICATION_FACTOR }),
    );
  });

  it('refuses to place anything while all brokers are fenced', () => {
    const made = new TestCluster();
    made.register(0);
    expect(() => placeReplicas(made.image, { partitions: 1, replicationFactor: 1 }, fromStart(0))).toThrow(
      expect.objectContaining({ errorCode: ErrorCode.INVALID_REPLICATION_FACTOR }),
    );
  });

  it('never begins with a fenced broker, and uses none that is stopping', () => {
    const made = cluster([null, null, null]);
    const epochOf = (id: number): number => made.image.brokers.get(id)?.epoch ?? -1;
    made.decide(fenceBroker(made.image, 1, epochOf(1), testSchema));
    made.decide(beginControlledShutdown(made.image, 2, epochOf(2), testSchema));
    const placed = placeReplicas(made.image, { partitions: 4, replicationFactor: 2 }, fromStart(0));
    expect(placed).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });

  it('spreads leaders evenly, repeats no broker, and uses as many racks as it can', () => {
    const rackOf = fc.constantFrom<string | null>('a', 'b', 'c', null);
    fc.assert(
      fc.property(
        fc.array(rackOf, { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 1, max: 40 }),
        fc.nat(),
        fc.nat(),
        (racks, partitions, factorSeed, seed) => {
          const { image } = cluster(racks);
          const replicationFactor = 1 + (factorSeed % racks.length);
          const placed = placeReplicas(image, { partitions, replicationFactor }, new SeededRandom(seed));
          const leads = new Map<number | undefined, number>(racks.map((_, id) => [id, 0]));
          for (const replicas of placed) {
            expect(new Set(replicas).size).toBe(replicationFactor);
            const inRacks = new Set(replicas.map((id) => racks[id] ?? null));
            expect(inRacks.size).toBe(Math.min(replicationFactor, new Set(racks).size));
            leads.set(replicas[0], (leads.get(replicas[0]) ?? 0) + 1);
          }
          expect(Math.max(...leads.values()) - Math.min(...leads.values())).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});
