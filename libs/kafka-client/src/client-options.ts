import type { Ports } from './ports.ts';

export interface ClientOptions {
  /** Bootstrap brokers, `host:port`, as a list or separated by commas. */
  readonly brokers: string | readonly string[];
  /** Shown in the broker's logs and quotas. Default `seatlog`. */
  readonly clientId?: string;
  /** How long a connection may take to be made and to agree on versions. Default 10000. */
  readonly connectTimeoutMs?: number;
  /** How long an answer may take. Default 30000. */
  readonly requestTimeoutMs?: number;
  /** First pause before a retry; it doubles with each and is jittered. Default 100. */
  readonly retryBackoffMs?: number;
  /** The longest pause before a retry. Default 1000. */
  readonly retryBackoffMaxMs?: number;
  /** Age at which metadata is fetched anew although nothing went wrong. Default 300000. */
  readonly metadataMaxAgeMs?: number;
  /** Whether asking for an unknown topic may create it, where the broker allows that too. Default true. */
  readonly allowAutoTopicCreation?: boolean;
  /** An answer longer than this closes the connection. Default 104857600. */
  readonly receiveFrameMaxBytes?: number;
  /** Replaces clock, timers, randomness or network: for tests and simulation. */
  readonly ports?: Partial<Ports>;
}
