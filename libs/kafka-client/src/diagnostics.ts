/**
 * What happens inside, for whoever listens: `node:diagnostics_channel` channels named `seatlog:kafka:...`. A message is
 * built only while somebody listens. Listeners must not throw.
 */
import { channel } from 'node:diagnostics_channel';
import type { TopicPartition } from './consumer/types.ts';
import type { KafkaClientError } from './errors.ts';

export interface RequestMessage {
  readonly clientId: string;
  readonly api: string;
  readonly version: number;
  readonly host: string;
  readonly port: number;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly error: KafkaClientError | null;
}

export interface ConnectionMessage {
  readonly clientId: string;
  readonly host: string;
  readonly port: number;
  readonly state: 'ready' | 'closed';
  readonly error: KafkaClientError | null;
}

export interface RetryMessage {
  readonly clientId: string;
  /** `produce`, `metadata`, `fetch`, `group`, ... */
  readonly operation: string;
  readonly topic: string | null;
  readonly partition: number | null;
  readonly code: string;
  readonly attempt: number;
}

export interface RebalanceMessage {
  readonly clientId: string;
  readonly groupId: string;
  readonly memberId: string;
  readonly generation: number;
  readonly event: 'revoked' | 'assigned' | 'lost' | 'joining';
  readonly partitions: readonly TopicPartition[];
}

class Channel<Message extends object> {
  readonly #channel;

  constructor(name: string) {
    this.#channel = channel(name);
  }

  get isHeard(): boolean {
    return this.#channel.hasSubscribers;
  }

  publish(message: Message): void {
    if (this.#channel.hasSubscribers) this.#channel.publish(message);
  }
}

export const requestChannel = new Channel<RequestMessage>('seatlog:kafka:request');
export const connectionChannel = new Channel<ConnectionMessage>('seatlog:kafka:connection');
export const retryChannel = new Channel<RetryMessage>('seatlog:kafka:retry');
export const rebalanceChannel = new Channel<RebalanceMessage>('seatlog:kafka:rebalance');
