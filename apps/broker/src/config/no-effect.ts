/**
 * Keys of Kafka's that an ordinary `server.properties` or compose file bears and that have nothing to act on here:
 * they are taken without a warning. One loop per broker has no thread pools; the runtime sizes socket buffers; there
 * is no ZooKeeper, no Java and no tiered storage.
 */
const exact = new Set([
  'num.network.threads',
  'num.io.threads',
  'background.threads',
  'num.recovery.threads.per.data.dir',
  'num.replica.alter.log.dirs.threads',
  'socket.send.buffer.bytes',
  'socket.receive.buffer.bytes',
  'replica.socket.receive.buffer.bytes',
  'broker.id',
  'broker.id.generation.enable',
  'reserved.broker.max.id',
  'inter.broker.protocol.version',
  'log.message.format.version',
  'security.inter.broker.protocol',
  'authorizer.class.name',
  'super.users',
  'allow.everyone.if.no.acl.found',
  'metric.reporters',
  'metrics.num.samples',
  'metrics.recording.level',
  'metrics.sample.window.ms',
  'confluent.support.metrics.enable',
  'controlled.shutdown.max.retries',
  'controlled.shutdown.retry.backoff.ms',
  'connection.failed.authentication.delay.ms',
  'log.message.downconversion.enable',
  'log.deletion.max.segments.per.run',
  'group.coordinator.threads',
  'offsets.topic.min.isr',
  'advertised.host.name',
  'queued.max.request.bytes',
  'log.initial.task.delay.ms',
  'log.dir.failure.timeout.ms',
  'metadata.log.dir',
  'metadata.log.segment.ms',
  'metadata.log.segment.min.bytes',
  'controller.quorum.append.linger.ms',
  'controller.quorum.retry.backoff.max.ms',
]);

const prefixes = [
  'zookeeper.',
  'log.cleaner.',
  'ssl.',
  'sasl.',
  'remote.log.',
  'metadata.max.',
  'quota.',
  'delegation.token.',
  'password.encoder.',
  'confluent.',
  'group.share.',
  'group.streams.',
  'group.consumer.',
  'share.coordinator.',
  'transaction.',
  'telemetry.',
];

export function hasNoEffect(name: string): boolean {
  return exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
