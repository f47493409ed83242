import { describe, expect, it } from 'vitest';
import { createClient, type KafkaClient } from '../client.ts';
import { ScriptedCluster } from '../testing/scripted-cluster.ts';
import { VirtualWorld } from '../testing/virtual-world.ts';

function scene(
  brokerCount = 1,
  seed = 1,
): { world: VirtualWorld; cluster: ScriptedCluster; client: KafkaClient } {
  const world = new VirtualWorld(seed);
  const cluster = new ScriptedCluster(world, brokerCount);
  const ports = { clock: world, timers: world, turns: world, random: world, connector: cluster.connector };
  return { world, cluster, client: createClient({ brokers: 'bootstrap:9092', ports }) };
}

describe('producer', () => {
  it('tells partition, offset and timestamp of a record', async () => {
    const { world, cluster, client } = scene();
    cluster.createTopic('seats', 1);
    const producer = client.producer();
    const first = await world.until(
      producer.send({ topic: 'seats', key: 'A-1', value: 'one', timestamp: 5 }),
    );
    const second = await world.until(producer.send({ topic: 'seats', key: 'A-1', value: 'two' }));
    expect(first).toEqual({ topic: 'seats', partition: 0, offset: 0, timestamp: 5 });
    expect(second).toMatchObject({ offset: 1 });
    expect(cluster.partition('seats', 0).values).toEqual(['one', 'two']);
  });
});
