/**
 * All listeners of a broker and their connections: accepting, limits, idle time-outs, an ordered end.
 */
import type { Cancel, Clock, IncomingStream, Network, StreamListener, Timers } from '@seatlog/runtime';
import type { Listener } from '../config/listener.ts';
import type { Logger } from '../logger.ts';
import type { BrokerMetrics } from '../metrics.ts';
import {
  Connection,
  type ConnectionLimits,
  type ConnectionOwner,
  type RequestProcessor,
} from './connection.ts';
import { FrameMemory } from './frame-memory.ts';
import type { FrameError } from './frame-reader.ts';
import { OccasionalLog } from './occasional-log.ts';
import { protocolHint } from './protocol-hint.ts';

export interface ServerLimits extends ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerHost: number;
  readonly backlog: number;
}

export interface SocketServerOptions {
  readonly listeners: readonly Listener[];
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  readonly metrics: BrokerMetrics;
  readonly processor: RequestProcessor;
  readonly network: Network;
}

export interface BoundListener {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** What the kernel holds for one socket is at most a few of these; one read takes as much as fits. */
const RECEIVE_BYTES = 65_536;
const LONGEST_SWEEP_INTERVAL_MS = 1000;

export class SocketServer implements ConnectionOwner {
  readonly #options: SocketServerOptions;
  readonly #servers: StreamListener[] = [];
  readonly #connections = new Set<Connection>();
  readonly #perHost = new Map<string, number>();
  readonly #occasional: OccasionalLog;
  #cancelSweep: Cancel | null = null;
  #unsentBytes = 0;
  /** Connections accepted before the broker can serve them; null from then on. */
  #early: { readonly listenerName: string; readonly accepted: IncomingStream }[] | null = [];
  #whenDrained: (() => void) | null = null;

  readonly clock: Clock;
  readonly limits: ServerLimits;
  readonly processor: RequestProcessor;
  readonly memory = new FrameMemory();
  readonly sharedReceiveMemory: Uint8Array = Buffer.allocUnsafeSlow(RECEIVE_BYTES);

  constructor(options: SocketServerOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.limits = options.limits;
    this.processor = options.processor;
    this.#occasional = new OccasionalLog(options.clock, options.log);
  }

  /** Bytes of answers that wait in all sockets. */
  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Binds every listener; connections wait until `serve`. Rejects if one cannot be bound, and then holds none. */
  async listen(): Promise<readonly BoundListener[]> {
    try {
      const bound: BoundListener[] = [];
      for (const listener of this.#options.listeners) bound.push(await this.#bind(listener));
      this.#sweepLater();
      return bound;
    } catch (error) {
      this.stopAccepting();
      throw error;
    }
  }

  /** Begins to read from connections, those that waited first. */
  serve(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const { listenerName, accepted } of early) this.#open(listenerName, accepted);
  }

  stopAccepting(): void {
    for (const { accepted } of this.#early?.splice(0) ?? []) accepted.destroy();
    for (const server of this.#servers.splice(0)) server.close();
    this.#cancelSweep?.();
    this.#cancelSweep = null;
  }

  /** Lets requests in process finish; calls back when no connection is left, or at the deadline, which ends them. */
  drain(deadlineMs: number, done: () => void): void {
    const cancel = this.#options.timers.schedule(deadlineMs, () => this.closeAll());
    this.#whenDrained = () => {
      this.#whenDrained = null;
      cancel();
      done();
    };
    // A set may lose the element that is looked at: connections leave it as they close.
    for (const connection of this.#connections) connection.drain();
    if (this.#connections.size === 0) this.#whenDrained?.();
  }

  closeAll(): void {
    for (const connection of this.#connections) connection.close();
  }

  misbehaved(connection: Connection, reason: string, error: FrameError | null): void {
    this.#options.metrics.connectionsClosedForProtocol += 1;
    const hint = error === null ? null : protocolHint(error.size);
    this.#occasional.warn('Closing a connection', {
      client: connection.clientHost,
      listener: connection.listenerName,
      reason,
      ...(hint === null ? {} : { hint }),
    });
  }

  unsentChanged(bytes: number): void {
    this.#unsentBytes += bytes;
  }

  closed(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    const left = (this.#perHost.get(connection.clientHost) ?? 1) - 1;
    if (left === 0) this.#perHost.delete(connection.clientHost);
    else this.#perHost.set(connection.clientHost, left);
    if (this.#connections.size === 0) this.#whenDrained?.();
  }

  async #bind(listener: Listener): Promise<BoundListener> {
    const server = await this.#options.network.listen(
      { host: listener.host, port: listener.port, backlog: this.limits.backlog },
      {
        accepted: (stream) => this.#accept(listener.name, stream),
        failed: (error) => this.#occasional.warn('A listener reports an error', { error }),
      },
    );
    this.#servers.push(server);
    return { name: listener.name, host: server.host, port: server.port };
  }

  #accept(listenerName: string, accepted: IncomingStream): void {
    if (this.#early === null) {
      this.#open(listenerName, accepted);
    } else if (this.#early.length < this.limits.maxConnections) {
      this.#early.push({ listenerName, accepted });
    } else {
      accepted.destroy();
    }
  }

  #open(listenerName: string, accepted: IncomingStream): void {
    if (accepted.isDestroyed) return;
    const host = accepted.remoteAddress;
    const refusal = this.#refusal(host);
    if (refusal !== null) {
      this.#options.metrics.connectionsRefused += 1;
      this.#occasional.warn('Refusing a connection', { client: host, reason: refusal });
      accepted.destroy();
      return;
    }
    this.#options.metrics.connectionsAccepted += 1;
    const connection = new Connection(this, listenerName, host);
    this.#connections.add(connection);
    this.#perHost.set(host, (this.#perHost.get(host) ?? 0) + 1);
    connection.open(accepted.open(connection));
  }

  #refusal(host: string): string | null {
    const { maxConnections, maxConnectionsPerHost } = this.limits;
    if (this.#connections.size >= maxConnections) {
      return `${maxConnections} connections are open (max.connections, or the limit of open files)`;
    }
    if ((this.#perHost.get(host) ?? 0) >= maxConnectionsPerHost) {
      return `${maxConnectionsPerHost} connections from this address are open (max.connections.per.ip)`;
    }
    return null;
  }

  #sweepLater(): void {
    const { maxIdleMs, frameTimeoutMs } = this.limits;
    const interval = Math.max(1, Math.min(LONGEST_SWEEP_INTERVAL_MS, maxIdleMs / 2, frameTimeoutMs / 2));
    this.#cancelSweep = this.#options.timers.schedule(interval, () => {
      const now = this.clock.monotonic();
      for (const connection of this.#connections) connection.sweep(now);
      this.#sweepLater();
    });
  }
}
