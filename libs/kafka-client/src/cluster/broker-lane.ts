/**
 * A connection to one broker for one purpose, made when it is asked for and made anew after it broke. Attempts are spaced by
 * a growing, jittered pause. One that has been idle for longer than most brokers allow is replaced before it is used, since
 * the broker may be closing it just then.
 */
import { backoffMs } from '../backoff.ts';
import { KafkaClientError } from '../errors.ts';
import { BrokerConnection, type ConnectionSettings } from '../network/broker-connection.ts';
import type { Cancel } from '../ports.ts';
import type { BrokerAddress } from './broker-addresses.ts';

const RECONNECT_BACKOFF = { initialMs: 50, maxMs: 1000 };
/** A minute below the idle time after which a Kafka broker closes a connection. */
const MAX_IDLE_MS = 540_000;

export interface LaneListener {
  drained(): void;
  closed(error: KafkaClientError): void;
}

export class BrokerLane {
  readonly #address: () => BrokerAddress | null;
  readonly #settings: ConnectionSettings;
  readonly #listener: LaneListener | null;
  #connection: BrokerConnection | null = null;
  #opening: Promise<BrokerConnection> | null = null;
  #cancelOpening: ((reason: KafkaClientError) => void) | null = null;
  #failures = 0;
  #notBefore = -Infinity;
  #closed: KafkaClientError | null = null;

  constructor(
    address: () => BrokerAddress | null,
    settings: ConnectionSettings,
    listener: LaneListener | null = null,
  ) {
    this.#address = address;
    this.#settings = settings;
    this.#listener = listener;
  }

  /** The connection, if there is one that can be used right now. */
  get connection(): BrokerConnection | null {
    const connection = this.#connection;
    if (connection === null || !connection.isReady) return null;
    if (connection.idleMs < MAX_IDLE_MS && this.#stillThere(connection)) return connection;
    connection.close();
    return null;
  }

  /** How many attempts in a row have failed. */
  get failures(): number {
    return this.#failures;
  }

  /** The connection, made if need be. One attempt: rejects when it fails. */
  open(): Promise<BrokerConnection> {
    const ready = this.connection;
    if (ready !== null) return Promise.resolve(ready);
    if (this.#closed !== null) return Promise.reject(this.#closed);
    this.#opening ??= this.#attempt().finally(() => {
      this.#opening = null;
      this.#cancelOpening = null;
    });
    return this.#opening;
  }

  close(reason: KafkaClientError): void {
    this.#closed = reason;
    this.#cancelOpening?.(reason);
    this.#connection?.close(reason);
  }

  async #attempt(): Promise<BrokerConnection> {
    await this.#pause();
    const address = this.#address();
    if (address === null) throw unknownBroker();
    return new Promise((resolve, reject) => {
      const connection = new BrokerConnection(address.host, address.port, this.#settings, {
        ready: () => {
          this.#failures = 0;
          resolve(connection);
        },
        drained: () => this.#listener?.drained(),
        closed: (error) => {
          this.#failures += 1;
          const { clock, random } = this.#settings.ports;
          this.#notBefore =
            clock.monotonic() + backoffMs(RECONNECT_BACKOFF, this.#failures, random.fraction());
          this.#connection = null;
          reject(error);
          this.#listener?.closed(error);
        },
      });
      this.#connection = connection;
      this.#cancelOpening = (reason) => connection.close(reason);
    });
  }

  #pause(): Promise<void> {
    const { clock, timers } = this.#settings.ports;
    const wait = this.#notBefore - clock.monotonic();
    if (wait <= 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const cancel: Cancel = timers.schedule(wait, resolve);
      this.#cancelOpening = (reason) => {
        cancel();
        reject(reason);
      };
    });
  }

  #stillThere(connection: BrokerConnection): boolean {
    const address = this.#address();
    return address === null || (address.host === connection.host && address.port === connection.port);
  }
}

function unknownBroker(): KafkaClientError {
  return new KafkaClientError('CONNECTION_FAILED', 'the broker is not in the metadata any more', {
    retriable: true,
    hint: 'the client asks for the metadata anew by itself',
  });
}
