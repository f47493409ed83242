import { afterEach, describe, expect, it } from 'vitest';
import { createMetrics } from '../metrics.ts';
import { MemoryCluster } from '../testing/memory-cluster.ts';
import { controllerMetricsText } from './controller-metrics-text.ts';
import { controllerState } from './quorum-state.ts';

const figures = { residentBytes: 1, heapUsedBytes: 2, cpuSeconds: 3, uptimeSeconds: 4, connections: 5 };

let cluster: MemoryCluster;

afterEach(() => cluster[Symbol.asyncDispose]());

function quorumOf(id: number) {
  const { running } = cluster.node(id);
  if (running === null) throw new Error(`node ${id} does not run`);
  return running.quorum;
}

/** Three controllers with a broker and a topic that nobody leads; gives the leader and another voter. */
async function controllersWithBroker(): Promise<readonly [number, number]> {
  cluster = new MemoryCluster({ voters: [1, 2, 3] });
  await cluster.start([1, 2, 3], 'controller');
  await cluster.start([4], 'broker');
  expect(await cluster.createTopic(4, 'seats', 2, 1)).toBe(0);
  cluster.kill(4);
  const leader = quorumOf(1).leader.id;
  await cluster.until(() => quorumOf(leader).image.brokers.get(4)?.fenced === true, 'the broker is fenced');
  await cluster.until(
    () => new Set([1, 2, 3].map((id) => quorumOf(id).image.lastOffset)).size === 1,
    'all voters have heard of it',
  );
  return [leader, [1, 2, 3].find((id) => id !== leader) ?? -1];
}

function metricsOf(id: number): ReadonlyMap<string, number> {
  const text = controllerMetricsText(quorumOf(id), createMetrics(), figures);
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(samples.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]));
}

describe('what a controller tells over HTTP', () => {
  it('counts one active controller, and what its cluster has', async () => {
    const [leader, other] = await controllersWithBroker();
    const controller = 'kafka_controller_kafkacontroller';
    expect(metricsOf(leader).get(`${controller}_activecontrollercount`)).toBe(1);
    expect(metricsOf(other).get(`${controller}_activecontrollercount`)).toBe(0);
    for (const id of [leader, other]) {
      const metrics = metricsOf(id);
      expect(metrics.get(`${controller}_offlinepartitionscount`)).toBe(2);
      expect(metrics.get(`${controller}_globalpartitioncount`)).toBe(2);
      expect(metrics.get(`${controller}_activebrokercount`)).toBe(0);
      expect(metrics.get(`${controller}_fencedbrokercount`)).toBe(1);
      expect(metrics.get('kafka_server_raftmetrics_currentleader')).toBe(leader);
      expect(metrics.get('kafka_server_raftmetrics_currentepoch')).toBe(quorumOf(leader).leader.epoch);
      expect(metrics.get('process_uptime_seconds')).toBe(4);
    }
    expect(metricsOf(leader).get(`kafka_server_raftmetrics_voterlag{voter="${other}"}`)).toBe(0);
    expect([...metricsOf(other).keys()].some((name) => name.includes('voterlag'))).toBe(false);
  });

  it('shows how the quorum stands', async () => {
    const [leader, other] = await controllersWithBroker();
    const { lastOffset } = quorumOf(leader).image;
    expect(controllerState(quorumOf(leader), 'running', [])).toMatchObject({
      broker: { nodeId: leader, roles: ['controller'], state: 'running', controllerId: leader },
      quorum: {
        role: 'leader',
        leaderId: leader,
        isActiveController: true,
        highWatermark: lastOffset + 1,
        logEndOffset: lastOffset + 1,
      },
      partitions: [],
      fetchers: [],
    });
    expect(controllerState(quorumOf(other), 'running', [])).toMatchObject({
      quorum: { role: 'follower', leaderId: leader, isActiveController: false, voters: [], observers: [] },
    });
  });
});
