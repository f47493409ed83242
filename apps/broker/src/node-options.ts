/** What a node is started with, and what it is to whoever started it, whatever its roles. */
import type { BrokerPorts } from './broker-ports.ts';
import type { BrokerConfig } from './config/broker-config.ts';
import type { Logger } from './logger.ts';
import type { DescribedQuorum } from './quorum/metadata-quorum.ts';
import type { RequestInterceptor } from './request-interceptor.ts';
import type { AdvertisedListener } from './services.ts';

export interface NodeOptions {
  readonly config: BrokerConfig;
  readonly log: Logger;
  readonly ports?: BrokerPorts;
  /** What the limit of open files leaves for connections; no bound of its own if absent. */
  readonly connectionsWithinDescriptors?: number;
  /** Stands between the router and the handlers of a broker; for test kits. */
  readonly interceptor?: RequestInterceptor;
  /** The node cannot go on, for instance because its metadata log is lost. Called once at most. */
  readonly onFatal?: (error: Error) => void;
  /** Gives up a start that waits, for instance for a majority of controllers; it then rejects with `StartGivenUp`. */
  readonly startSignal?: AbortSignal;
}

export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

export interface RunningNode extends AsyncDisposable {
  /** Those of clients; none on a node that is no broker. */
  readonly listeners: readonly AdvertisedListener[];
  readonly http: HttpAddress | null;
  readonly quorum: DescribedQuorum;
  stop(): Promise<void>;
  /** Lets go of the sockets at once, as if the process had died; the log directory stays as it is. For tests. */
  abandon(): void;
}

export type NodeState = 'starting' | 'running' | 'stopping' | 'stopped';

/** Why a start that was asked to end did not finish. */
export class StartGivenUp extends Error {
  override readonly name = 'StartGivenUp';

  constructor() {
    super('The node was asked to stop before it had started.');
  }
}

/** The same promise, unless `failure` is rejected or the signal comes before it is settled. */
export function unlessGivenUp<Value>(
  promise: Promise<Value>,
  failure: Promise<never>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new StartGivenUp());
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    Promise.race([promise, failure])
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', giveUp));
  });
}
