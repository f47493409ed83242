/** Metrics of replication: how far followers are, who is missing from ISRs, what this broker fetches. */
import type { Partition } from '../replica-manager/partition.ts';
import type { BrokerServices } from '../services.ts';
import type { PrometheusText, Sample } from './prometheus-text.ts';

const MANAGER = 'kafka_server_replicamanager';
const FETCHERS = 'kafka_server_replicafetchermanager';

export function writeReplication(text: PrometheusText, { replicas, metrics }: BrokerServices): void {
  const all = [...replicas.partitions()];
  const led = all.filter((partition) => partition.isLeader);
  text.gauge(`${MANAGER}_partitioncount`, 'Replicas on this broker.', all.length);
  text.gauge(`${MANAGER}_leadercount`, 'Partitions that this broker leads.', led.length);
  text.gauge(
    `${MANAGER}_underreplicatedpartitions`,
    'Led partitions whose ISR lacks a replica.',
    led.filter(isUnderReplicated).length,
  );
  text.gauge(
    `${MANAGER}_underminisrpartitioncount`,
    'Led partitions whose ISR is smaller than min.insync.replicas.',
    led.filter((partition) => partition.isUnderMinIsr).length,
  );
  text.gauge(
    `${MANAGER}_atminisrpartitioncount`,
    'Led partitions whose ISR is as small as min.insync.replicas allows.',
    led.filter(isAtMinIsr).length,
  );
  text.gauge(
    `${MANAGER}_offlinereplicacount`,
    'Replicas whose log takes no more appends.',
    all.filter(({ log }) => log.failure !== null).length,
  );
  text.counter(`${MANAGER}_isrshrinks_total`, 'Times an ISR shrank.', metrics.isrShrinks);
  text.counter(`${MANAGER}_isrexpands_total`, 'Times an ISR grew.', metrics.isrExpands);
  text.counter(
    `${MANAGER}_failedisrupdates_total`,
    'Times the controller did not take a proposed ISR.',
    metrics.failedIsrUpdates,
  );
  text.gauge(
    'kafka_cluster_partition_underminisr',
    'Whether the ISR is smaller than min.insync.replicas.',
    partitionSamples(led, (partition) => partition.isUnderMinIsr),
  );
  text.gauge(
    'kafka_cluster_partition_atminisr',
    'Whether the ISR is as small as min.insync.replicas allows.',
    partitionSamples(led, isAtMinIsr),
  );
  writeFetchers(text, replicas);
}

function writeFetchers(text: PrometheusText, { fetchers, maxLag }: BrokerServices['replicas']): void {
  text.gauge(`${FETCHERS}_maxlag`, 'The most committed records that a followed partition lacks.', maxLag);
  text.gauge(
    `${FETCHERS}_failedpartitionscount`,
    'Followed partitions whose log takes no more.',
    fetchers.flatMap(({ partitions }) => partitions).filter(({ state }) => state === 'failed').length,
  );
  text.gauge(
    'kafka_server_fetcherlagmetrics_consumerlag',
    'Committed records that a followed partition lacks.',
    fetchers.flatMap(({ name, partitions }) =>
      partitions.map(({ topic, partition, lag }) => ({
        labels: { clientId: name, topic, partition },
        value: lag,
      })),
    ),
  );
}

export function isUnderReplicated(partition: Partition): boolean {
  return partition.isr.length < partition.replicas.length;
}

function isAtMinIsr(partition: Partition): boolean {
  const minimum = Math.min(partition.config['min.insync.replicas'], partition.replicas.length);
  return partition.isr.length === minimum;
}

export function partitionSamples(
  partitions: readonly Partition[],
  value: (partition: Partition) => number | boolean,
): readonly Sample[] {
  return partitions.map((partition) => ({
    labels: { topic: partition.topic, partition: partition.index },
    value: Number(value(partition)),
  }));
}
