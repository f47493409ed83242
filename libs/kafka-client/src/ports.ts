/**
 * What the client needs of the world outside. Node's are in `node-ports.ts`; a test gives its own. Structurally the same
 * as the ports of the other libraries, so that one adapter serves all.
 */
export interface Clock {
  /** Milliseconds since the epoch, for record timestamps. */
  now(): number;
  /** Milliseconds from any origin, never stepping back, for every deadline. */
  monotonic(): number;
}

export type Cancel = () => void;

export interface Timers {
  schedule(delayMs: number, action: () => void): Cancel;
}

export interface Turns {
  /** Runs the action once this turn of the event loop is over. */
  defer(action: () => void): void;
}

export interface Random {
  /** At least 0, less than 1. */
  fraction(): number;
}

export interface Link {
  /** The parts are one frame, sent in order after all earlier ones. They must not be changed before they are sent. */
  write(parts: readonly Uint8Array[]): void;
  /** Bytes that were handed over and not yet taken by the operating system. */
  readonly pendingBytes: number;
  destroy(): void;
}

export interface LinkEvents {
  connected(): void;
  /** Where the next bytes go: asked for before each read, never empty. */
  target(): Uint8Array;
  /** So many bytes were put at the start of the target. */
  received(length: number): void;
  /** All that was handed over has been taken by the operating system. */
  drained(): void;
  /** Called exactly once, after which nothing else is. */
  closed(reason: Error | null): void;
}

/** Opens a byte stream to a broker. */
export interface Connector {
  open(host: string, port: number, events: LinkEvents): Link;
}

export interface Ports {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly random: Random;
  readonly connector: Connector;
}
