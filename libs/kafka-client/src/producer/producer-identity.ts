/**
 * The producer id under which batches are numbered: asked of any broker when it is first needed, and another one when the
 * epochs of the old one are used up. Asked again until it is given; a refusal for good is told once and then each time.
 */
import { apis, errorByCode, ErrorCode } from '@seatlog/kafka-protocol';
import { backoffMs } from '../backoff.ts';
import { brokerError } from '../broker-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { retryChannel } from '../diagnostics.ts';
import { KafkaClientError } from '../errors.ts';
import type { Cancel } from '../ports.ts';
import type { ProducerIdentity } from './partition-queue.ts';

/** A broker that does not answer in this time is given up and another one is asked: an id too many does no harm. */
const ATTEMPT_TIMEOUT_MS = 5000;

export class ProducerIdentitySource {
  readonly #cluster: Cluster;
  readonly #changed: (refusal: KafkaClientError | null) => void;
  #current: ProducerIdentity | null = null;
  #asking = false;
  #closed = false;
  #failures = 0;
  #cancelPause: Cancel | null = null;

  /** `changed` is told when there is a new id, or that there will be none. */
  constructor(cluster: Cluster, changed: (refusal: KafkaClientError | null) => void) {
    this.#cluster = cluster;
    this.#changed = changed;
  }

  get current(): ProducerIdentity | null {
    return this.#current;
  }

  /** Asks for an id other than the current one. */
  request(): void {
    if (this.#asking || this.#closed) return;
    this.#asking = true;
    void this.#ask();
  }

  close(): void {
    this.#closed = true;
    this.#cancelPause?.();
  }

  async #ask(): Promise<void> {
    try {
      const connection = await this.#cluster.anyConnection();
      const response = await connection.request(
        apis.initProducerId,
        { transactionalId: null, transactionTimeoutMs: 0x7fffffff },
        { timeoutMs: ATTEMPT_TIMEOUT_MS },
      );
      if (response.errorCode !== ErrorCode.NONE) {
        throw brokerError(response.errorCode, { what: 'no producer id was given', outcome: 'not-written' });
      }
      this.#failures = 0;
      this.#asking = false;
      this.#current = { producerId: response.producerId, producerEpoch: response.producerEpoch };
      if (!this.#closed) this.#changed(null);
    } catch (cause) {
      this.#failed(cause);
    }
  }

  #failed(cause: unknown): void {
    if (this.#closed) return;
    const error = cause instanceof KafkaClientError ? cause : unforeseen(cause);
    this.#failures += 1;
    const { clientId, retryBackoff, ports } = this.#cluster.settings;
    retryChannel.publish({
      clientId,
      operation: 'init-producer-id',
      topic: null,
      partition: null,
      code: error.code,
      attempt: this.#failures,
    });
    if (!error.retriable) {
      this.#asking = false;
      this.#changed(refusal(error));
      return;
    }
    const pause = backoffMs(retryBackoff, this.#failures, ports.random.fraction());
    this.#cancelPause = ports.timers.schedule(pause, () => void this.#ask());
  }
}

function refusal(cause: KafkaClientError): KafkaClientError {
  const notSupported = cause.code === 'API_NOT_SUPPORTED';
  return new KafkaClientError(cause.code, cause.message, {
    retriable: false,
    hint: notSupported ? 'this broker is too old for enableIdempotence: set it to false' : cause.hint,
    outcome: 'not-written',
    cause,
  });
}

function unforeseen(cause: unknown): KafkaClientError {
  const name = errorByCode(ErrorCode.UNKNOWN_SERVER_ERROR).name;
  return new KafkaClientError(name, 'no producer id was given', {
    retriable: true,
    hint: 'look at the cause',
    cause,
  });
}
