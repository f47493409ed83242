/**
 * Byte streams as an argument: a server listens and accepts, who wants to speak to one connects; both receive into
 * memory of their own choice, and write.
 *
 * No Promise stands on the path of a byte. Nothing is read from a stream before `resume`. A write is done when
 * `written` is called, in the order of writes; it stays away when the stream ends before. `ended` is called at most
 * once, and nothing else is after it.
 */
export interface Network {
  /** Rejects when the address cannot be taken. */
  listen(address: ListenAddress, events: ListenEvents): Promise<StreamListener>;
  /** A name under which others reach this machine. */
  hostname(): Promise<string>;
  /**
   * Begins a connection. What is written before it stands goes out when it does; it is read from then on, without
   * `resume`. The receiver hears of nothing before this returns.
   */
  connect(address: ConnectAddress, receiver: ConnectingReceiver): ByteStream;
}

export interface ConnectAddress {
  readonly host: string;
  readonly port: number;
}

export interface ListenAddress {
  /** Empty: every interface. */
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly backlog: number;
}

export interface ListenEvents {
  accepted(stream: IncomingStream): void;
  /** The listener goes on, but met an error. */
  failed(error: Error): void;
}

export interface StreamListener {
  readonly host: string;
  readonly port: number;
  /** Accepts no more; streams that were accepted stay. */
  close(): void;
}

/** A connection that was made and is not yet served: it is opened once, or destroyed. */
export interface IncomingStream {
  readonly remoteAddress: string;
  readonly isDestroyed: boolean;
  open(receiver: ByteReceiver): ByteStream;
  destroy(): void;
}

export interface ByteReceiver {
  /** Where the next bytes shall go; asked before each read, and good until `received` is called for it. */
  memory(): Uint8Array;
  /** `length` bytes lie at the start of `memory`, which is either what `memory()` gave or a chunk of its own. */
  received(memory: Uint8Array, length: number): void;
  /** The peer ended the stream, or it broke. */
  ended(): void;
}

/** `connected` or `refused` comes first; after `refused`, as after `ended` and the stream's `destroy`, nothing comes. */
export interface ConnectingReceiver extends ByteReceiver {
  connected(): void;
  refused(reason: string): void;
}

export interface ByteStream {
  resume(): void;
  pause(): void;
  /** `bytes` is the length of all parts together. They stay untouched until `written`. */
  write(parts: readonly Uint8Array[], bytes: number, written: () => void): void;
  destroy(): void;
}
