import { expect, it } from 'vitest';
import { ReplicatedCluster } from '../replica-manager/testing/replicated-cluster.ts';
import type { BrokerServices } from '../services.ts';
import { partitionState } from './partition-state.ts';
import { PrometheusText } from './prometheus-text.ts';
import { writeReplication } from './replication-metrics-text.ts';

const LAG_MS = 1000;

function services(cluster: ReplicatedCluster, id: number): BrokerServices {
  const { replicas, metrics, image } = cluster.broker(id);
  // What is written goes by no more than this.
  return { replicas, metrics, metadata: { image } } as unknown as BrokerServices;
}

function metricsOf(cluster: ReplicatedCluster, id: number): ReadonlyMap<string, number> {
  const text = new PrometheusText();
  writeReplication(text, services(cluster, id));
  const samples = text
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

async function underReplicated(): Promise<ReplicatedCluster> {
  const cluster = await ReplicatedCluster.start(3, { settings: { 'replica.lag.time.max.ms': `${LAG_MS}` } });
  await cluster.createTopic('seats', [1, 2, 3], { 'min.insync.replicas': '3' });
  cluster.broker(3).kill();
  await cluster.produce(1, 'seats', ['a'], { acks: 1 });
  await cluster.advance(3 * LAG_MS);
  return cluster;
}

it('R30: a leader counts what its followers lack', async () => {
  const metrics = metricsOf(await underReplicated(), 1);
  const of = (name: string): number | undefined => metrics.get(`kafka_server_replicamanager_${name}`);
  expect(of('underreplicatedpartitions')).toBe(1);
  expect(of('underminisrpartitioncount')).toBe(1);
  expect(of('isrshrinks_total')).toBe(1);
  expect(of('isrexpands_total')).toBe(0);
  expect(metrics.get('kafka_cluster_partition_underminisr{topic="seats",partition="0"}')).toBe(1);
});

it('R30: a follower tells its lag, by fetcher', async () => {
  const cluster = await underReplicated();
  const metrics = metricsOf(cluster, 2);
  expect(metrics.get('kafka_server_replicafetchermanager_maxlag')).toBe(0);
  const name = 'kafka_server_fetcherlagmetrics_consumerlag';
  expect(metrics.get(`${name}{clientId="ReplicaFetcherThread-0-1",topic="seats",partition="0"}`)).toBe(0);
});

it('tells of a partition what its leader knows of its followers', async () => {
  const cluster = await underReplicated();
  const state = partitionState(cluster.broker(1).partition('seats'), services(cluster, 1));
  expect(state).toMatchObject({
    role: 'leading',
    isr: [1, 2],
    elr: [3],
    maximalIsr: [1, 2],
    isUnderMinIsr: true,
    highWatermark: 0,
    logEndOffset: 1,
    followers: [
      { brokerId: 2, logEndOffset: 1 },
      { brokerId: 3, logEndOffset: 0 },
    ],
  });
  const following = partitionState(cluster.broker(2).partition('seats'), services(cluster, 2));
  expect(following).toMatchObject({ role: 'following', leader: 1, fetchState: 'fetching', lag: 0 });
});
