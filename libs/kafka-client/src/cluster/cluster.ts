/**
 * The cluster as one client sees it: metadata, and lanes to its brokers by purpose. Requests of one purpose go in order over
 * one connection; purposes do not wait for each other (a fetch that waits for data would hold up a commit behind it).
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { brokerError } from '../broker-error.ts';
import { KafkaClientError } from '../errors.ts';
import type { BrokerConnection, ConnectionSettings } from '../network/broker-connection.ts';
import { within } from '../waiting.ts';
import type { BrokerAddress } from './broker-addresses.ts';
import { BrokerLane, type LaneListener } from './broker-lane.ts';
import { MetadataCache, type TopicState } from './metadata-cache.ts';
import { MetadataRefresher, type MetadataListener, type RefresherSettings } from './metadata-refresher.ts';

/** While one broker is slow to connect, the next is tried beside it after this time. */
const CONNECT_STAGGER_MS = 1000;
const CONTROL = 'control';

export interface ClusterSettings extends ConnectionSettings, RefresherSettings {
  readonly bootstrap: readonly BrokerAddress[];
}

export interface WaitLimits {
  /** In the clock's monotonic milliseconds. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

export class Cluster {
  readonly settings: ClusterSettings;
  readonly metadata = new MetadataCache();
  readonly #refresher: MetadataRefresher;
  readonly #lanes = new Map<string, BrokerLane>();
  readonly #bootstrap: readonly BrokerLane[];
  #closed: KafkaClientError | null = null;

  constructor(settings: ClusterSettings) {
    this.settings = settings;
    this.#bootstrap = settings.bootstrap.map((address) => new BrokerLane(() => address, settings));
    this.#refresher = new MetadataRefresher(this.metadata, settings, () => this.anyConnection());
  }

  /** The lane to a broker for a purpose; the listener counts only when the lane is first asked for. */
  lane(purpose: string, brokerId: number, listener: LaneListener | null = null): BrokerLane {
    const name = `${purpose}:${brokerId}`;
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = new BrokerLane(() => this.metadata.brokers.get(brokerId) ?? null, this.settings, listener);
      this.#lanes.set(name, lane);
      if (this.#closed !== null) lane.close(this.#closed);
    }
    return lane;
  }

  /** Closes the lanes of a purpose: for one who leaves while the client stays. */
  closeLanes(purpose: string, reason: KafkaClientError): void {
    for (const [name, lane] of this.#lanes) {
      if (!name.startsWith(`${purpose}:`)) continue;
      lane.close(reason);
      this.#lanes.delete(name);
    }
  }

  /** A connection to this broker for short requests. */
  controlConnection(brokerId: number): Promise<BrokerConnection> {
    return this.lane(CONTROL, brokerId).open();
  }

  /** A connection for short requests to any broker: one that is ready, else the first that can be made. */
  async anyConnection(): Promise<BrokerConnection> {
    const known = [...this.metadata.brokers.keys()].map((id) => this.lane(CONTROL, id));
    const candidates = [...known, ...this.#bootstrap];
    for (const lane of candidates) {
      const { connection } = lane;
      if (connection !== null) return connection;
    }
    const { random, timers } = this.settings.ports;
    const order = candidates
      .map((lane) => ({ lane, rank: lane.failures + random.fraction() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ lane }) => lane);
    return firstToOpen(order, (action) => timers.schedule(CONNECT_STAGGER_MS, action));
  }

  requestRefresh(): void {
    this.#refresher.request();
  }

  onMetadata(listener: MetadataListener): () => void {
    return this.#refresher.listen(listener);
  }

  /** The topic if it can be used right now; otherwise fresh metadata is asked for. */
  usableTopic(name: string): TopicState | null {
    const topic = this.metadata.topic(name);
    if (topic !== undefined && topic.partitions.length > 0) return topic;
    if (this.#refresher.addTopics([name])) this.requestRefresh();
    return null;
  }

  /** Waits until all these topics are known. Rejects at the deadline, or when a topic can never be known. */
  async awaitTopics(names: readonly string[], limits: WaitLimits): Promise<void> {
    if (this.#refresher.addTopics(names) || names.some((name) => this.#problemWith(name) !== null)) {
      await this.#awaitMetadata(() => names.every((name) => this.#settled(name)), limits, names);
    }
    for (const name of names) {
      const problem = this.#problemWith(name);
      if (problem !== null) throw problem;
    }
  }

  /** Waits for one round of metadata, whatever it brings. */
  async refresh(limits: WaitLimits): Promise<void> {
    let answered = false;
    const stop = this.onMetadata((failure) => {
      answered ||= failure === null;
    });
    try {
      await this.#awaitMetadata(() => answered, limits, []);
    } finally {
      stop();
    }
  }

  close(): void {
    if (this.#closed !== null) return;
    const reason = new KafkaClientError('CLIENT_CLOSED', 'the client is closed', {
      retriable: false,
      hint: 'make a client that lives as long as it is used',
    });
    this.#closed = reason;
    this.#refresher.close();
    for (const lane of [...this.#lanes.values(), ...this.#bootstrap]) lane.close(reason);
  }

  #settled(name: string): boolean {
    const problem = this.#problemWith(name);
    return problem === null || !problem.retriable;
  }

  #problemWith(name: string): KafkaClientError | null {
    const topic = this.metadata.topic(name);
    if (topic === undefined)
      return brokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, { what: `topic ${name}` });
    if (topic.partitions.length > 0) return null;
    const code = topic.errorCode === ErrorCode.NONE ? ErrorCode.LEADER_NOT_AVAILABLE : topic.errorCode;
    return brokerError(code, { what: `topic ${name}` });
  }

  async #awaitMetadata(done: () => boolean, limits: WaitLimits, names: readonly string[]): Promise<void> {
    let lastFailure: KafkaClientError | null = this.#closed;
    let stop: (() => void) | null = null;
    const reached = new Promise<void>((resolve) => {
      stop = this.onMetadata((failure) => {
        lastFailure = failure;
        if (done()) resolve();
        else this.requestRefresh();
      });
      this.requestRefresh();
    });
    try {
      await within(reached, limits, this.settings.ports, () => this.#metadataTimeout(names, lastFailure));
    } finally {
      (stop as (() => void) | null)?.();
    }
  }

  #metadataTimeout(names: readonly string[], lastFailure: KafkaClientError | null): KafkaClientError {
    if (this.#closed !== null) return this.#closed;
    const cause =
      lastFailure ?? names.map((name) => this.#problemWith(name)).find((problem) => problem !== null);
    const about = names.length === 0 ? 'the cluster' : names.join(', ');
    return new KafkaClientError(
      'METADATA_TIMEOUT',
      `no metadata of ${about} in time: ${cause?.message ?? ''}`,
      {
        retriable: true,
        hint: 'check that a broker can be reached and that the topic exists',
        cause: cause ?? undefined,
      },
    );
  }
}

/** Opens lanes one after another, not waiting long for each; the first that succeeds counts, or else the last failure. */
function firstToOpen(
  lanes: readonly BrokerLane[],
  afterStagger: (action: () => void) => () => void,
): Promise<BrokerConnection> {
  return new Promise((resolve, reject) => {
    let next = 0;
    let open = 0;
    let cancel: (() => void) | null = null;
    const tryNext = (): void => {
      cancel?.();
      cancel = null;
      const lane = lanes[next];
      if (lane === undefined) return;
      next += 1;
      open += 1;
      if (next < lanes.length) cancel = afterStagger(tryNext);
      lane.open().then(
        (connection) => {
          cancel?.();
          next = lanes.length;
          resolve(connection);
        },
        (error: unknown) => {
          open -= 1;
          if (next < lanes.length) tryNext();
          else if (open === 0) reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    };
    tryNext();
  });
}
