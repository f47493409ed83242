import type { ClientOptions } from '@seatlog/kafka-client';
import type { LoggedRecord } from './logged-records.ts';
import type { ApiName, RequestAnswer, RequestHook } from './request-hooks.ts';

export interface TestTopic {
  readonly name: string;
  /** Default 1. */
  readonly partitions?: number;
  /** Kafka's topic configs. */
  readonly configs?: Readonly<Record<string, string>>;
}

export interface TestClusterOptions {
  /** Topics that are there from the start. */
  readonly topics?: readonly TestTopic[];
  /** Kafka's broker configs, as in `server.properties`. A name that the broker does not know is refused. */
  readonly brokerConfig?: Readonly<Record<string, string>>;
  /**
   * `real` (the default) is the process's own clock. `virtual` stands still until `advance` or `until` moves it, for
   * the broker and for every client made with `clientOptions`.
   */
  readonly clock?: 'real' | 'virtual';
  /** Listens on loopback as well, for clients that need a real address. Default false. */
  readonly listen?: boolean;
  /** Of all chance: ids, backoff. Default 1. */
  readonly seed?: number;
  /** Takes the broker's log, a line of JSON at a time. Default: nobody. */
  readonly log?: (line: string) => void;
}

export interface ClusterBroker {
  readonly nodeId: number;
  /** What clients are told to connect to. Nothing listens there on a socket unless the cluster was told to `listen`. */
  readonly host: string;
  readonly port: number;
  /** `host:port`. */
  readonly address: string;
}

export interface RestartOptions {
  /**
   * How the broker ends. Absent or false: an ordered stop. `process`: killed, and the page cache survives it. `power` or
   * true: the machine loses power, and with it everything that was not synced.
   */
  readonly crash?: boolean | 'process' | 'power';
}

export interface TestCluster extends AsyncDisposable {
  /** For `createClient`: brokers and ports that lead to this cluster in memory. */
  readonly clientOptions: ClientOptions;
  readonly brokers: readonly ClusterBroker[];
  /** `host:port` of all brokers, separated by commas. */
  readonly bootstrapServers: string;
  /** The clock of broker and clients, milliseconds since the epoch. */
  now(): number;
  /**
   * Lets so much virtual time pass: everything that falls due happens, each at its moment, and so does everything
   * that follows from it in this process. Rejects on a real clock.
   */
  advance(milliseconds: number): Promise<void>;
  /**
   * Waits for the promise, moving virtual time from one due action to the next when nothing else is left to do. Rejects
   * when that does not settle it within `withinMs` (default ten minutes) of virtual time. On a real clock it just waits.
   */
  until<T>(promise: Promise<T>, options?: { readonly withinMs?: number }): Promise<T>;
  createTopic(topic: string | TestTopic): Promise<void>;
  /** Everything in the topic's log, by partition and offset, whether or not a consumer may see it yet. */
  records(topic: string): LoggedRecord[];
  /**
   * Decides over requests of one API, until the returned function is called. Of several hooks the first that does not
   * pass decides. Requests that the cluster makes itself (`createTopic`) meet no hook.
   */
  onRequest<Name extends ApiName>(api: Name, hook: RequestHook<Name> | RequestAnswer): () => void;
  /** Ends the broker and starts it again on what its disk holds, under the same address. Hooks stay. */
  restart(options?: RestartOptions): Promise<void>;
  close(): Promise<void>;
}
