/** The quorum's and the controller's numbers in `/metrics`, on every node. */
import { NO_LEADER, preferredReplicaImbalance } from '@seatlog/metadata-quorum';
import type { BrokerMetrics } from '../metrics.ts';
import type { DescribedQuorum } from '../quorum/metadata-quorum.ts';
import type { ProcessFigures } from './process-figures.ts';
import { PrometheusText } from './prometheus-text.ts';

/** All that a node without replicas tells. */
export function controllerMetricsText(
  quorum: DescribedQuorum,
  metrics: BrokerMetrics,
  figures: ProcessFigures,
): string {
  const text = new PrometheusText();
  writeController(text, quorum, metrics);
  writeQuorum(text, quorum);
  text.counter(
    'kafka_network_requestmetrics_requests_total',
    'Requests by API key.',
    [...metrics.requestsByApi].map(([key, { count }]) => ({ labels: { api_key: key }, value: count })),
  );
  writeProcess(text, figures);
  return text.toString();
}

export function writeController(text: PrometheusText, quorum: DescribedQuorum, metrics: BrokerMetrics): void {
  const { image } = quorum;
  const partitions = [...image.topics.values()].flatMap((topic) => topic.partitions);
  const brokers = [...image.brokers.values()];
  const controller = 'kafka_controller_kafkacontroller';
  text.gauge(
    `${controller}_activecontrollercount`,
    'Whether this node is the active controller.',
    Number(quorum.term !== null),
  );
  text.gauge(
    `${controller}_offlinepartitionscount`,
    'Partitions without a leader.',
    partitions.filter(({ leader }) => leader === NO_LEADER).length,
  );
  text.gauge(`${controller}_globaltopiccount`, 'Topics of the cluster.', image.topics.size);
  text.gauge(`${controller}_globalpartitioncount`, 'Partitions of the cluster.', partitions.length);
  text.gauge(
    `${controller}_activebrokercount`,
    'Brokers that are registered and not fenced.',
    brokers.filter(({ fenced }) => !fenced).length,
  );
  text.gauge(
    `${controller}_fencedbrokercount`,
    'Brokers that are registered and fenced.',
    brokers.filter(({ fenced }) => fenced).length,
  );
  text.gauge(
    `${controller}_preferredreplicaimbalancecount`,
    'Partitions whose leader is not their preferred replica.',
    preferredReplicaImbalance(image),
  );
  text.counter(
    'kafka_controller_controllerstats_uncleanleaderelections_total',
    'Leaders elected from outside of their ISR.',
    metrics.uncleanLeaderElections,
  );
}

export function writeQuorum(text: PrometheusText, quorum: DescribedQuorum): void {
  const { leader, votedId, highWatermark, logEndOffset, voters } = quorum.description;
  const raft = 'kafka_server_raftmetrics';
  text.gauge(
    `${raft}_currentleader`,
    'The node that leads the metadata quorum; -1: none is known.',
    leader.leaderId,
  );
  text.gauge(`${raft}_currentepoch`, 'The epoch of the metadata quorum.', leader.epoch);
  text.gauge(`${raft}_currentvote`, 'Whom this node voted for in this epoch; -1: nobody.', votedId);
  text.gauge(`${raft}_highwatermark`, 'The committed end of the metadata log.', highWatermark);
  text.gauge(`${raft}_logendoffset`, 'The end of the metadata log on this node.', logEndOffset);
  text.gauge(
    'kafka_server_raftmetrics_voterlag',
    'Records of the metadata log that a voter lacks, as its leader sees it.',
    voters.map((voter) => ({
      labels: { voter: voter.id },
      value: Math.max(0, logEndOffset - voter.logEndOffset),
    })),
  );
}

export function writeProcess(text: PrometheusText, figures: ProcessFigures): void {
  text.gauge(
    'kafka_server_socketserver_connections',
    'Open connections of clients and nodes.',
    figures.connections,
  );
  text.gauge('process_resident_memory_bytes', 'Resident memory.', figures.residentBytes);
  text.gauge('nodejs_heap_size_used_bytes', 'Heap in use.', figures.heapUsedBytes);
  text.counter('process_cpu_seconds_total', 'CPU time of the process.', figures.cpuSeconds);
  text.gauge('process_uptime_seconds', 'Seconds since the start.', figures.uptimeSeconds);
}
