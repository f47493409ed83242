import { unregisterBroker } from '@seatlog/metadata-quorum';
import { describe, expect, it } from 'vitest';
import { controllerSchema } from '../config/controller-schema.ts';
import { loadConfig } from '../config/load.ts';
import { CONTROLLED_SHUTDOWN_LIMIT_MS, CONTROLLER_ABSENCE_LIMIT_MS } from './broker-lifecycle.ts';
import { ClusterWorld } from './testing/cluster-world.ts';

const SESSION_MS = 9000;

async function threeBrokers(controllerIds?: readonly number[]): Promise<ClusterWorld> {
  const world = new ClusterWorld(controllerIds);
  for (const id of [1, 2, 3]) await world.start(id);
  return world;
}

function leaderAndOthers(world: ClusterWorld, topic: string): [number, readonly number[]] {
  const { leader } = world.partition(topic);
  return [leader, [1, 2, 3].filter((id) => id !== leader)];
}

describe('a start', () => {
  it('registers, catches up, and is unfenced; then heartbeats keep it so', async () => {
    const world = await threeBrokers();
    expect([...world.brokers.values()].map(({ lifecycle }) => lifecycle.state)).toEqual(
      Array(3).fill('running'),
    );
    world.pass(60_000);
    expect([1, 2, 3].map((id) => world.isFenced(id))).toEqual([false, false, false]);
  });

  it('waits for a controller for as long as it takes', async () => {
    const world = new ClusterWorld();
    world.lead(-1);
    const broker = world.broker(1);
    const registered = world.register(broker);
    world.pass(120_000);
    expect(broker.lifecycle.state).toBe('starting');
    world.lead(100);
    await world.until(() => broker.lifecycle.state === 'recovery');
    expect(await registered).toBe(broker.lifecycle.brokerEpoch);
    expect(world.isFenced(1)).toBe(true);
  });

  it('after a crash waits until the session of the process before is over (F23)', async () => {
    const world = await threeBrokers();
    const crashed = world.brokers.get(2);
    if (crashed !== undefined) crashed.isStopped = true;
    const again = world.broker(2);
    void world.register(again);
    world.pass(SESSION_MS - 2500);
    expect(again.lifecycle.state).toBe('starting');
    await world.until(() => again.lifecycle.state === 'recovery');
    expect(again.lifecycle.brokerEpoch).toBeGreaterThan(crashed?.epoch ?? -1);
  });

  it('is refused by another cluster', async () => {
    const world = new ClusterWorld();
    const broker = world.broker(1);
    Object.assign(broker.quorum, { clusterId: 'another-cluster-000000' });
    const registered = world.register(broker);
    world.pass(100);
    await expect(registered).rejects.toThrow('INCONSISTENT_CLUSTER_ID');
  });
});

describe('F23: requests that come twice', () => {
  it('register one incarnation, once', async () => {
    const world = new ClusterWorld();
    world.deliveries = 2;
    const broker = await world.start(1);
    expect(world.image.brokers.get(1)?.epoch).toBe(broker.epoch);
    world.pass(30_000);
    expect([world.image.brokers.get(1)?.epoch, world.isFenced(1)]).toEqual([broker.epoch, false]);
  });

  it('stop a broker once, and leave others alone', async () => {
    const world = await threeBrokers();
    world.deliveries = 3;
    world.createTopic('t', 3);
    const [leader, others] = leaderAndOthers(world, 't');
    const stopped = world.brokers.get(leader)?.lifecycle.beginControlledShutdown();
    await world.until(() => world.isFenced(leader) === true);
    await stopped;
    expect(others).toContain(world.partition('t').leader);
    expect(world.partition('t').leaderEpoch).toBe(1);
  });
});

describe('F26: the controller fails over', () => {
  it('and no broker is fenced for it', async () => {
    const world = await threeBrokers([100, 101, 102]);
    world.unreachable.add(100);
    world.lead(-1);
    world.pass(5000);
    world.lead(101);
    world.pass(30_000);
    expect([1, 2, 3].map((id) => world.isFenced(id))).toEqual([false, false, false]);
  });

  it('F20: a broker that dies with it is fenced by the next', async () => {
    const world = await threeBrokers([100, 101, 102]);
    world.createTopic('t', 3);
    const [leader, others] = leaderAndOthers(world, 't');
    const died = world.brokers.get(leader);
    if (died !== undefined) died.isStopped = true;
    world.unreachable.add(100);
    world.lead(101);
    world.pass(SESSION_MS + 1000);
    expect(world.isFenced(leader)).toBe(true);
    expect(others).toContain(world.partition('t').leader);
  });
});

describe('F21: a zombie', () => {
  it('stopped past its session is fenced; running again it comes back under the same epoch, and leads nothing', async () => {
    const world = await threeBrokers();
    world.createTopic('t', 3);
    const [leader] = leaderAndOthers(world, 't');
    const zombie = world.brokers.get(leader);
    if (zombie === undefined) throw new Error('no leader');
    zombie.isStopped = true;
    world.pass(SESSION_MS + 1000);
    expect(world.isFenced(leader)).toBe(true);
    const { epoch } = zombie;
    zombie.goOn();
    await world.until(() => world.isFenced(leader) === false);
    expect(world.image.brokers.get(leader)?.epoch).toBe(epoch);
    expect(world.partition('t').leader).not.toBe(leader);
    expect(world.partition('t').isr).not.toContain(leader);
  });

  it('whose registration is gone registers again, with another epoch', async () => {
    const world = await threeBrokers();
    const broker = world.brokers.get(3);
    const { config } = loadConfig({});
    world.controllers.get(100)?.quorum.change(
      (image) => unregisterBroker(image, 3, controllerSchema(config)),
      () => {},
    );
    expect(world.image.brokers.has(3)).toBe(false);
    await world.until(() => world.isFenced(3) === false);
    expect(world.image.brokers.get(3)?.epoch).toBeGreaterThan(broker?.epoch ?? Number.MAX_VALUE);
    expect(broker?.lifecycle.brokerEpoch).toBe(world.image.brokers.get(3)?.epoch);
  });
});

describe('R14: a controlled shutdown', () => {
  it('takes the broker out of the ISR at once, and ends when the others know of it', async () => {
    const world = await threeBrokers();
    world.createTopic('t', 3);
    const [leader] = leaderAndOthers(world, 't');
    const broker = world.brokers.get(leader);
    let isStopped = false;
    void broker?.lifecycle.beginControlledShutdown().then(() => {
      isStopped = true;
    });
    world.pass(10);
    expect(world.partition('t').isr).not.toContain(leader);
    await world.until(() => isStopped);
    expect(broker?.lifecycle.state).toBe('stopped');
  });

  it('and a start after it is clean: the broker stays eligible to lead', async () => {
    const world = new ClusterWorld();
    const broker = await world.start(1);
    world.createTopic('t', 1);
    let isStopped = false;
    void broker.lifecycle.beginControlledShutdown().then(() => {
      isStopped = true;
    });
    await world.until(() => isStopped);
    expect(world.partition('t')).toMatchObject({ leader: -1 });
    await world.start(1, broker.epoch);
    expect(world.partition('t')).toMatchObject({ leader: 1, leaderRecoveryState: 0, isr: [1] });
  });

  it('does not wait for a controller for ever', async () => {
    const world = await threeBrokers();
    const broker = world.brokers.get(1);
    world.unreachable.add(100);
    let isStopped = false;
    void broker?.lifecycle.beginControlledShutdown().then(() => {
      isStopped = true;
    });
    world.pass(CONTROLLED_SHUTDOWN_LIMIT_MS - 1000);
    await Promise.resolve();
    expect(isStopped).toBe(false);
    await world.until(() => isStopped);
    expect(broker?.lifecycle.state).toBe('stopped');
  });

  it('waits shorter while the quorum has no leader: the whole cluster may be stopping', async () => {
    const world = await threeBrokers();
    const broker = world.brokers.get(1);
    world.unreachable.add(100);
    let isStopped = false;
    void broker?.lifecycle.beginControlledShutdown().then(() => {
      isStopped = true;
    });
    world.pass(2000);
    world.lead(-1);
    world.pass(CONTROLLER_ABSENCE_LIMIT_MS - 1000);
    world.lead(-1);
    world.pass(900);
    await Promise.resolve();
    expect(isStopped).toBe(false);
    world.pass(100);
    await Promise.resolve();
    expect([isStopped, broker?.lifecycle.state]).toEqual([true, 'stopped']);
  });

  it('of a broker that is not registered yet is over at once', async () => {
    const world = new ClusterWorld();
    world.lead(-1);
    const broker = world.broker(1);
    const registered = world.register(broker);
    await broker.lifecycle.beginControlledShutdown();
    broker.lifecycle.stop();
    await expect(registered).rejects.toThrow('before it was registered');
  });
});
