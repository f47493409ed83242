import { KafkaAdmin } from './admin/kafka-admin.ts';
import type { Admin } from './admin/types.ts';
import type { ClientOptions } from './client-options.ts';
import { parseBrokerAddresses } from './cluster/broker-addresses.ts';
import { Cluster, type ClusterSettings } from './cluster/cluster.ts';
import { consumerSettings } from './consumer/consumer-options.ts';
import { KafkaConsumer } from './consumer/kafka-consumer.ts';
import type { Consumer, ConsumerOptions } from './consumer/types.ts';
import { nodePorts } from './node-ports.ts';
import { KafkaProducer } from './producer/kafka-producer.ts';
import { producerSettings } from './producer/producer-options.ts';
import type { Producer, ProducerOptions } from './producer/types.ts';
import type { AnyTopic } from './topics/topic.ts';

/**
 * One client per process is enough: its producers, consumers and admins share the metadata; each has connections of its own.
 * Nothing connects before it is needed.
 */
export interface KafkaClient extends AsyncDisposable {
  producer(options?: ProducerOptions): Producer;
  consumer<const T extends string | AnyTopic = string>(options?: ConsumerOptions<T>): Consumer<T>;
  admin(): Admin;
  /** Closes all that was made from this client, then its connections. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

export function createClient(options: ClientOptions): KafkaClient {
  const settings = clusterSettings(options);
  const cluster = new Cluster(settings);
  const parts = new Set<{ close(options?: { readonly timeoutMs?: number }): Promise<void> }>();
  let made = 0;
  const close = async (closeOptions?: { readonly timeoutMs?: number }): Promise<void> => {
    await Promise.allSettled(Array.from(parts, (part) => part.close(closeOptions)));
    cluster.close();
  };
  return {
    producer(producerOptions = {}) {
      made += 1;
      const producer = new KafkaProducer(
        cluster,
        producerSettings(producerOptions, settings.requestTimeoutMs),
        `producer-${made}`,
        (closed) => void parts.delete(closed),
      );
      parts.add(producer);
      return producer;
    },
    consumer<const T extends string | AnyTopic = string>(consumerOptions: ConsumerOptions<T> = {}) {
      made += 1;
      const consumer = new KafkaConsumer(
        cluster,
        consumerSettings(consumerOptions),
        `consumer-${made}`,
        (closed) => void parts.delete(closed),
      );
      parts.add(consumer);
      // Its records decode by the topics given here: that is what the type says.
      return consumer as unknown as Consumer<T>;
    },
    admin: () => new KafkaAdmin(cluster),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

function clusterSettings(options: ClientOptions): ClusterSettings {
  return Object.freeze({
    bootstrap: parseBrokerAddresses(options.brokers),
    clientId: options.clientId ?? 'seatlog',
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    receiveFrameMaxBytes: options.receiveFrameMaxBytes ?? 104_857_600,
    retryBackoff: {
      initialMs: options.retryBackoffMs ?? 100,
      maxMs: options.retryBackoffMaxMs ?? 1000,
    },
    metadataMaxAgeMs: options.metadataMaxAgeMs ?? 300_000,
    allowAutoTopicCreation: options.allowAutoTopicCreation ?? true,
    ports: { ...nodePorts, ...options.ports },
  });
}
