/**
 * `/metrics`: the broker's numbers under the names that dashboards for Kafka know (Strimzi's for the broker,
 * kafka_exporter's for topics and groups).
 */
import type { QuorumNode } from '../quorum/quorum-node.ts';
import type { Partition } from '../replica-manager/partition.ts';
import type { BrokerServices } from '../services.ts';
import { writeController, writeProcess, writeQuorum } from './controller-metrics-text.ts';
import type { ProcessFigures } from './process-figures.ts';
import { PrometheusText, type Sample } from './prometheus-text.ts';

export function brokerMetricsText(
  services: BrokerServices,
  quorum: QuorumNode,
  figures: ProcessFigures,
): string {
  const text = new PrometheusText();
  writeReplicas(text, services);
  writeController(text, quorum, services.metrics);
  writeQuorum(text, quorum);
  writeTraffic(text, services);
  writeTopics(text, services);
  writeGroups(text, services);
  writeProcess(text, figures);
  return text.toString();
}

function isUnderReplicated(partition: Partition): boolean {
  return partition.isr.length < partition.replicas.length;
}

function isUnderMinIsr(partition: Partition): boolean {
  return partition.isr.length < partition.config['min.insync.replicas'];
}

function partitionSamples(
  partitions: readonly Partition[],
  value: (partition: Partition) => number | boolean,
): readonly Sample[] {
  return partitions.map((partition) => ({
    labels: { topic: partition.topic, partition: partition.index },
    value: Number(value(partition)),
  }));
}

function writeReplicas(text: PrometheusText, { replicas, metrics }: BrokerServices): void {
  const all = [...replicas.partitions()];
  const led = all.filter((partition) => partition.isLeader);
  const server = 'kafka_server_replicamanager';
  text.gauge(`${server}_partitioncount`, 'Replicas on this broker.', all.length);
  text.gauge(`${server}_leadercount`, 'Partitions that this broker leads.', led.length);
  text.gauge(
    `${server}_underreplicatedpartitions`,
    'Led partitions whose ISR lacks a replica.',
    led.filter(isUnderReplicated).length,
  );
  text.gauge(
    `${server}_underminisrpartitioncount`,
    'Led partitions whose ISR is smaller than min.insync.replicas.',
    led.filter(isUnderMinIsr).length,
  );
  text.counter(`${server}_isrshrinks_total`, 'Times an ISR shrank.', metrics.isrShrinks);
  text.counter(`${server}_isrexpands_total`, 'Times an ISR grew.', metrics.isrExpands);
  text.gauge(
    'kafka_cluster_partition_underminisr',
    'Whether the ISR is smaller than min.insync.replicas.',
    partitionSamples(led, isUnderMinIsr),
  );
  text.gauge(
    'kafka_cluster_partition_atminisr',
    'Whether the ISR is as small as min.insync.replicas allows.',
    partitionSamples(led, (partition) => partition.isr.length === partition.config['min.insync.replicas']),
  );
  text.gauge(
    'kafka_log_log_size',
    'Bytes of the log on disk.',
    partitionSamples(all, (partition) => partition.log.sizeBytes),
  );
}

function writeTraffic(text: PrometheusText, { metrics }: BrokerServices): void {
  const topic = 'kafka_server_brokertopicmetrics';
  text.counter(`${topic}_messagesin_total`, 'Records appended.', metrics.messagesIn);
  text.counter(`${topic}_bytesin_total`, 'Bytes of record batches appended.', metrics.bytesIn);
  text.counter(`${topic}_bytesout_total`, 'Bytes of record batches fetched.', metrics.bytesOut);
  text.counter(`${topic}_totalproducerequests_total`, 'Produce requests.', metrics.produceRequests);
  text.counter(
    `${topic}_failedproducerequests_total`,
    'Partitions of produce requests that failed.',
    metrics.failedProduceRequests,
  );
  text.counter(`${topic}_totalfetchrequests_total`, 'Fetch requests.', metrics.fetchRequests);
  text.counter(
    `${topic}_failedfetchrequests_total`,
    'Partitions of fetch requests that failed.',
    metrics.failedFetchRequests,
  );
  text.counter(
    'kafka_network_requestmetrics_requests_total',
    'Requests by API key.',
    [...metrics.requestsByApi].map(([key, value]) => ({ labels: { api_key: key }, value })),
  );
}

function writeTopics(text: PrometheusText, { replicas }: BrokerServices): void {
  const led = [...replicas.partitions()].filter((partition) => partition.isLeader);
  const topic = 'kafka_topic_partition';
  const samples = (value: (partition: Partition) => number | boolean) => partitionSamples(led, value);
  text.gauge(
    `${topic}_current_offset`,
    'The high watermark.',
    samples((partition) => partition.highWatermark),
  );
  text.gauge(
    `${topic}_oldest_offset`,
    'The log start offset.',
    samples((partition) => partition.logStartOffset),
  );
  text.gauge(
    `${topic}_in_sync_replica`,
    'In-sync replicas.',
    samples((partition) => partition.isr.length),
  );
  text.gauge(
    `${topic}_leader`,
    'The node that leads.',
    samples((partition) => partition.leaderId),
  );
  text.gauge(`${topic}_under_replicated_partition`, 'Whether a replica lags.', samples(isUnderReplicated));
}

function writeGroups(text: PrometheusText, { groups, replicas }: BrokerServices): void {
  const members: Sample[] = [];
  const offsets: Sample[] = [];
  const lags: Sample[] = [];
  for (const group of groups.summaries()) {
    members.push({ labels: { consumergroup: group.groupId }, value: group.members });
    for (const { topic, partition, offset } of group.committed) {
      const labels = { consumergroup: group.groupId, topic, partition };
      offsets.push({ labels, value: offset });
      const end = replicas.partition(topic, partition)?.highWatermark;
      if (end !== undefined) lags.push({ labels, value: Math.max(0, end - offset) });
    }
  }
  text.gauge('kafka_consumergroup_members', 'Members of the group.', members);
  text.gauge('kafka_consumergroup_current_offset', 'The committed offset.', offsets);
  text.gauge('kafka_consumergroup_lag', 'Records behind the committed offset.', lags);
}
