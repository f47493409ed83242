/** What a stack is asked for and what it gives. */
import type { ManagedProcess } from '../managed-process.ts';

export interface StackPorts {
  readonly postgres?: number;
  readonly redis?: number;
  /** In the order of their ids; null, or none, is a free one. */
  readonly brokers?: readonly (number | null)[];
  readonly bookingApi?: number;
}

/** Servers that run elsewhere and are used as they are: DATABASE_URL, REDIS_URL, BROKERS. */
export interface ExternalServices {
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
  readonly brokers?: string;
}

export interface ServiceEndpoints {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** `host:port,host:port` */
  readonly brokers: string;
}

export interface StackEndpoints extends ServiceEndpoints {
  readonly bookingApiUrl: string;
  /** Of the first broker of ours; null where BROKERS was given. */
  readonly brokerHttpUrl: string | null;
  /** Of all brokers of ours, in the order of their ids. */
  readonly brokerHttpUrls: readonly string[];
  /** Base URL of each app process by its name, for /health and /metrics. */
  readonly apps: Readonly<Record<string, string>>;
}

/** What only the application knows; a stack runs it between the servers and the apps. Each must bear being run again. */
export interface StackSteps {
  /** Needs Postgres. */
  migrate(endpoints: Pick<ServiceEndpoints, 'databaseUrl'>): Promise<void>;
  /** Needs the brokers. `replicationFactor` is what the layout can carry. */
  createTopics(
    endpoints: Pick<ServiceEndpoints, 'brokers'> & { readonly replicationFactor: number },
  ): Promise<void>;
  /** Runs after the two. */
  seed(endpoints: ServiceEndpoints): Promise<void>;
}

export interface StackProgress {
  readonly step: string;
  readonly state: 'started' | 'done' | 'failed';
  /** Of done and failed. */
  readonly tookMs?: number;
  /** An address, or what is being waited for. */
  readonly detail?: string;
}

export interface StackOptions {
  /** Names the default folder, `.data/<layout>`. Default `one-node` or `<n>-nodes`, by `brokers`. */
  readonly layout?: string;
  readonly dataDirectory?: string;
  /** Wipes the folder first. */
  readonly fresh?: boolean;
  /** Brokers of our own. Default 1. */
  readonly brokers?: number;
  /** Processes of the reservation worker. Default 1. */
  readonly workers?: number;
  readonly ports?: StackPorts;
  readonly external?: ExternalServices;
  readonly steps: StackSteps;
  /** Added to every app's environment. */
  readonly appEnvironment?: Readonly<Record<string, string>>;
  /** Added to every broker's properties. */
  readonly brokerProperties?: Readonly<Record<string, string>>;
  /** False gives up durability of Postgres and Redis for speed: tests. Default true. */
  readonly durable?: boolean;
  readonly onProgress?: (progress: StackProgress) => void;
  /** Gives up starting; what runs already is stopped. */
  readonly signal?: AbortSignal;
}

export interface Stack extends AsyncDisposable {
  readonly dataDirectory: string;
  readonly endpoints: StackEndpoints;
  readonly processes: ReadonlyMap<string, ManagedProcess>;
  /** In order: apps that take requests, the other apps, brokers, Redis, Postgres. Harmless when called again. */
  stop(): Promise<void>;
}
