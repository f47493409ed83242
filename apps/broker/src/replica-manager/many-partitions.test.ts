import { apis } from '@seatlog/kafka-protocol';
import { SeededRandom } from '@seatlog/runtime/testing';
import { expect, it } from 'vitest';
import { batchOf } from '../testing/test-broker.ts';
import { ReplicatedCluster } from './testing/replicated-cluster.ts';

const PARTITIONS = 12;
const BURSTS = 60;
const BURST = 8;
const SEED = 17;

/** Replicas of partition p: its leader, then the other two. */
const assignment = (partition: number): readonly number[] =>
  [0, 1, 2].map((place) => 1 + ((partition + place) % 3));

it('R19: whatever comes between their fetches, acks=all is answered by events, while no time passes', async () => {
  const cluster = await ReplicatedCluster.start(3);
  const random = new SeededRandom(SEED);
  const chance = (choices: number): number => random.uint32() % choices;
  cluster.controller.createTopic(
    'many',
    Array.from({ length: PARTITIONS }, (_, partition) => assignment(partition)),
  );
  await cluster.advance(1000);
  const produce = (partition: number) =>
    cluster.ask(assignment(partition)[0] ?? 1, apis.produce, 9, {
      acks: -1,
      timeoutMs: 30_000,
      topicData: [
        {
          name: 'many',
          partitionData: [
            { index: partition, records: batchOf({ values: ['v'], timestamp: cluster.clock.now() }) },
          ],
        },
      ],
    });
  for (let burst = 0; burst < BURSTS; burst++) {
    const asked = [];
    for (let count = 0; count < BURST; count++) {
      asked.push(produce(chance(PARTITIONS)));
      for (let turns = chance(4); turns > 0; turns--) cluster.turns.end();
    }
    const pending = await Promise.all(asked);
    await cluster.settle();
    expect(pending.filter(({ result }) => result?.kind !== 'answered')).toEqual([]);
    // So that some bursts meet parked fetches, and others fetches that are on their way.
    await cluster.advance(chance(3) * 200);
  }
});
