import type { Admin } from './admin/types.ts';
import type { ClientOptions } from './client-options.ts';
import type { Consumer, ConsumerOptions } from './consumer/types.ts';
import { KafkaClientError } from './errors.ts';
import type { Producer, ProducerOptions } from './producer/types.ts';
import type { AnyTopic } from './topics/topic.ts';

/**
 * One client per process is enough: its producers share connections and metadata, each consumer has connections of its own
 * (a fetch that waits would hold up everything behind it). Nothing connects before it is needed.
 */
export interface KafkaClient extends AsyncDisposable {
  producer(options?: ProducerOptions): Producer;
  consumer<const T extends string | AnyTopic = string>(options?: ConsumerOptions<T>): Consumer<T>;
  admin(): Admin;
  /** Closes all that was made from this client, then its connections. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

export function createClient(options: ClientOptions): KafkaClient {
  throw new KafkaClientError('INVALID_CONFIGURATION', `nothing connects to ${String(options.brokers)} yet`, {
    retriable: false,
    hint: 'the bodies follow these signatures',
  });
}
