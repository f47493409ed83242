/**
 * `/metrics`: the broker's numbers under the names that dashboards for Kafka know (Strimzi's for the broker,
 * kafka_exporter's for topics and groups).
 */
import type { DescribedQuorum } from '../quorum/metadata-quorum.ts';
import type { Partition } from '../replica-manager/partition.ts';
import type { BrokerServices } from '../services.ts';
import { writeController, writeProcess, writeQuorum } from './controller-metrics-text.ts';
import type { ProcessFigures } from './process-figures.ts';
import { PrometheusText, type Sample } from './prometheus-text.ts';
import { isUnderReplicated, partitionSamples, writeReplication } from './replication-metrics-text.ts';

export function brokerMetricsText(
  services: BrokerServices,
  quorum: DescribedQuorum,
  figures: ProcessFigures,
): string {
  const text = new PrometheusText();
  writeReplication(text, services);
  writeLogs(text, services);
  writeController(text, quorum, services.metrics);
  writeQuorum(text, quorum);
  writeTraffic(text, services);
  writeTopics(text, services);
  writeGroups(text, services);
  writeProcess(text, figures);
  return text.toString();
}

function writeLogs(text: PrometheusText, { replicas }: BrokerServices): void {
  text.gauge(
    'kafka_log_log_size',
    'Bytes of the log on disk.',
    partitionSamples([...replicas.partitions()], (partition) => partition.log.sizeBytes),
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
    [...metrics.requestsByApi].map(([key, { count }]) => ({ labels: { api_key: key }, value: count })),
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
