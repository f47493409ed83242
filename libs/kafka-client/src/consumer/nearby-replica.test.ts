/** Consumers that tell their rack (KIP-392). */
import { apis } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { scene, type Scene } from '../testing/scene.ts';
import type { Consumer } from './types.ts';

const LEADER = 1;
const NEARBY = 2;

async function write({ world, client }: Scene, count: number): Promise<void> {
  const records = Array.from({ length: count }, (_, index) => ({ partition: 0, value: String(index) }));
  await world.until(client.producer().sendBatch('t', records));
}

/** A topic of 50 records, led by one broker and followed by another in rack `b`. */
async function setUp(): Promise<{ here: Scene; replica: { readonly node: number; end: number } }> {
  const here = scene({ brokerCount: 2 });
  here.cluster.createTopic('t', 1);
  const replica = { node: NEARBY, end: 50 };
  here.cluster.partition('t', 0).replicaInRack.set('b', replica);
  await write(here, 50);
  return { here, replica };
}

function reading({ client }: Scene, rackId?: string): { readonly offsets: number[]; stop(): Promise<void> } {
  const consumer: Consumer = client.consumer({
    autoOffsetReset: 'none',
    ...(rackId === undefined ? {} : { rackId }),
  });
  consumer.assign([{ topic: 't', partition: 0, offset: 0 }]);
  const abort = new AbortController();
  const offsets: number[] = [];
  const loop = (async () => {
    for await (const { records } of consumer.batches({ signal: abort.signal }))
      offsets.push(...records.map(({ offset }) => offset));
  })();
  return {
    offsets,
    stop: () => {
      abort.abort();
      return loop;
    },
  };
}

const fetchesOf = ({ cluster }: Scene, brokerId: number): number =>
  cluster.requests.filter((request) => request.api.key === apis.fetch.key && request.brokerId === brokerId)
    .length;

const upTo = (end: number): number[] => Array.from({ length: end }, (_, offset) => offset);

describe('a consumer that tells its rack', () => {
  it('reads from the replica there, up to what that has', async () => {
    const { here, replica } = await setUp();
    const { offsets, stop } = reading(here, 'b');
    await here.world.untilTrue(() => offsets.length === 50);
    await write(here, 10);
    await here.world.pass(5000);
    expect(offsets).toEqual(upTo(50));
    replica.end = 60;
    await here.world.untilTrue(() => offsets.length === 60);
    expect(offsets).toEqual(upTo(60));
    // It was sent on at once, and did not come back.
    expect(fetchesOf(here, LEADER)).toBe(1);
    await here.world.until(stop());
  });

  it('asks the leader again once metadata would have grown old', async () => {
    const { here, replica } = await setUp();
    const { offsets, stop } = reading(here, 'b');
    await here.world.untilTrue(() => offsets.length === 50);
    expect(fetchesOf(here, LEADER)).toBe(1);
    await here.world.pass(310_000);
    expect(fetchesOf(here, LEADER)).toBe(2);
    replica.end = 55;
    await write(here, 5);
    await here.world.untilTrue(() => offsets.length === 55);
    expect(offsets).toEqual(upTo(55));
    await here.world.until(stop());
  });

  it('goes on with the leader when the replica goes away', async () => {
    const { here } = await setUp();
    const { offsets, stop } = reading(here, 'b');
    await here.world.untilTrue(() => offsets.length === 50);
    here.cluster.partition('t', 0).replicaInRack.clear();
    here.cluster.stop(NEARBY);
    await write(here, 10);
    await here.world.untilTrue(() => offsets.length === 60);
    expect(offsets).toEqual(upTo(60));
    await here.world.until(stop());
  });

  it('keeps its place where the replica has less than it has read already', async () => {
    const { here, replica } = await setUp();
    const { offsets, stop } = reading(here, 'b');
    await here.world.untilTrue(() => offsets.length === 50);
    replica.end = 20;
    await write(here, 10);
    await here.world.untilTrue(() => offsets.length === 60);
    expect(offsets).toEqual(upTo(60));
    await here.world.until(stop());
  });

  it('does not ask without end where it is sent to a broker that it does not know', async () => {
    const { here, replica } = await setUp();
    const stranger = { node: 9, end: 50 };
    here.cluster.partition('t', 0).replicaInRack.set('b', stranger);
    const { offsets, stop } = reading(here, 'b');
    await here.world.pass(10_000);
    expect(offsets).toEqual([]);
    expect(fetchesOf(here, LEADER)).toBeLessThan(200);
    here.cluster.partition('t', 0).replicaInRack.set('b', replica);
    await here.world.untilTrue(() => offsets.length === 50);
    await here.world.until(stop());
  });

  it('is served by the leader if it tells none', async () => {
    const { here } = await setUp();
    const { offsets, stop } = reading(here);
    await here.world.untilTrue(() => offsets.length === 50);
    expect(fetchesOf(here, NEARBY)).toBe(0);
    await here.world.until(stop());
  });
});
