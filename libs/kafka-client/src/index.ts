/**
 * Kafka's protocol from TypeScript: producer, consumer and administration. Works with Apache Kafka and whatever speaks its
 * protocol; nothing here depends on one broker.
 *
 * ```ts
 * await using client = createClient({ brokers: 'localhost:9092', clientId: 'booking-api' });
 * await using producer = client.producer();
 * const { offset } = await producer.send({ topic: 'reservation-events', key: 'A-1-1', value: 'taken' });
 * ```
 */
export { createClient, type KafkaClient } from './client.ts';
export type { ClientOptions } from './client-options.ts';
export * from './topics.ts';
export {
  AdminError,
  BatchSendError,
  KafkaClientError,
  type ClientErrorCode,
  type FailedItem,
  type FailedRange,
  type KafkaClientErrorDetails,
  type WriteOutcome,
} from './errors.ts';
export type {
  Acks,
  BatchMetadata,
  CompressionName,
  DeliveryCallback,
  HeaderInput,
  OutgoingRecord,
  Partitioner,
  PartitionerInput,
  Producer,
  ProducerOptions,
  ProducerRecord,
  RecordMetadata,
  SendOptions,
  WrittenRange,
} from './producer/types.ts';
export type {
  AssignorName,
  BatchesOptions,
  ConsumedBatch,
  ConsumedRound,
  ConsumedRecord,
  Consumer,
  ConsumerHealth,
  ConsumerOptions,
  ConsumerState,
  OffsetReset,
  PartitionLag,
  PartitionsCallback,
  RecordHeader,
  RunOptions,
  TopicPartition,
  TopicPartitionOffset,
} from './consumer/types.ts';
export type {
  Admin,
  ClusterDescription,
  CommittedOffset,
  ConfigAlteration,
  ConfigDescription,
  ConfigEntry,
  ConfigResource,
  CreatedTopic,
  CreateTopicsOptions,
  GroupDescription,
  GroupListing,
  GroupMember,
  ListedOffset,
  NodeDescription,
  OffsetSpec,
  PartitionDescription,
  RecordsDeleted,
  RequestOptions,
  TopicDescription,
  TopicListing,
  TopicToCreate,
} from './admin/types.ts';
export type { ConnectionMessage, RebalanceMessage, RequestMessage, RetryMessage } from './diagnostics.ts';
export { nodeConnector } from './node-ports.ts';
export type { Cancel, Clock, Connector, Link, LinkEvents, Ports, Random, Timers, Turns } from './ports.ts';
