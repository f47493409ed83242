/**
 * One client connection: frames in, answers out, in order, with a bound on what waits on either side.
 *
 * Requests begin one at a time, as in Kafka: while one waits for its answer, the next ones wait too. Pipelined
 * requests (Produce) that follow each other all begin, in order, so that their appends share a write. What waits to
 * begin is bounded by count and bytes: beyond that the stream is not read. Answers that the peer does not read stop
 * further requests from beginning (F47).
 */
import { ByteWriter } from '@seatlog/kafka-protocol';
import type { ByteReceiver, ByteStream, Clock } from '@seatlog/runtime';
import { Exchange } from './exchange.ts';
import { BorrowedFrame, type FrameLease, type FrameMemory } from './frame-memory.ts';
import { FrameError, FrameReader, type FrameSink } from './frame-reader.ts';

export interface ConnectionLimits {
  readonly maxFrameBytes: number;
  readonly maxIdleMs: number;
  readonly frameTimeoutMs: number;
  /** Requests that wait to begin, and bytes of requests that wait or are in process, before reading stops. */
  readonly maxWaitingRequests: number;
  readonly maxRequestBytes: number;
  /** Answer bytes in the socket above which no further request begins. */
  readonly maxUnsentBytes: number;
}

/**
 * Answers that wait become a write of their own when there is this much of them: one write of several MiB costs the
 * kernel more than several of one, since all that the peer says meanwhile has to wait for its end.
 */
const LARGE_OUTPUT_BYTES = 262_144;

/** Pipelined requests of one connection that may be in process at a time. */
const MAX_PIPELINED = 1024;

export interface RequestProcessor {
  /** Whether the request may begin while earlier pipelined ones are still unanswered. */
  isPipelined(frame: Uint8Array): boolean;
  /** Begins a request. It answers through the exchange; it does not throw. */
  begin(exchange: Exchange): void;
}

export interface ConnectionOwner {
  readonly clock: Clock;
  readonly memory: FrameMemory;
  readonly limits: ConnectionLimits;
  readonly processor: RequestProcessor;
  /** Memory that all connections receive into; what is kept of it is copied before the call returns. */
  readonly sharedReceiveMemory: Uint8Array;
  /** The connection breaks the protocol or a limit, and is being closed for it. */
  misbehaved(connection: Connection, reason: string, error: FrameError | null): void;
  /** So many bytes of answers more (or less, if negative) wait in a socket. */
  unsentChanged(bytes: number): void;
  closed(connection: Connection): void;
}

/** What goes to the stream at once, and which exchanges end with it. */
interface Outgoing {
  readonly output: ByteWriter;
  readonly bytes: number;
  readonly exchanges: readonly Exchange[];
}

/** Memory for the first answers of a write, and the most of it: many small ones leave together. */
const FIRST_OUTPUT_BYTES = 256;
const MOST_OUTPUT_BYTES = 16_384;

export class Connection implements ByteReceiver, FrameSink {
  readonly listenerName: string;
  readonly clientHost: string;
  readonly #owner: ConnectionOwner;
  readonly #reader: FrameReader;
  #stream: ByteStream | null = null;
  #isOpen = true;
  #isDraining = false;

  readonly #waiting: FrameLease[] = [];
  readonly #inProcess: Exchange[] = [];
  #waitingBytes = 0;
  #inProcessBytes = 0;
  #isBeginning = false;
  #isReceiving = false;
  #isPaused = false;

  /** Answers that are about to leave. */
  #output: ByteWriter | null = null;
  #nextOutputBytes = FIRST_OUTPUT_BYTES;
  #unsentBytes = 0;
  #finishing: Exchange[] = [];
  /** Writes that are put together, and those that the stream has; oldest first. */
  #outgoing: Outgoing[] = [];
  readonly #writes: Outgoing[] = [];
  #isFlushScheduled = false;

  #lastActivity: number;
  /** Since when the current frame is incomplete, or the current answers unsent; -1 if none is. */
  #frameSince = -1;
  #framesDelivered = 0;

  constructor(owner: ConnectionOwner, listenerName: string, clientHost: string) {
    this.#owner = owner;
    this.listenerName = listenerName;
    this.clientHost = clientHost;
    this.#lastActivity = owner.clock.monotonic();
    this.#reader = new FrameReader(owner.memory, owner.limits.maxFrameBytes, this);
  }

  /** Begins to read. The stream was opened with this connection as its receiver. */
  open(stream: ByteStream): void {
    this.#stream = stream;
    stream.resume();
  }

  ended(): void {
    this.close();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get unsentBytes(): number {
    return this.#unsentBytes + this.#outputBytes;
  }

  get #outputBytes(): number {
    return this.#output?.length ?? 0;
  }

  memory(): Uint8Array {
    return this.#reader.receiveInto ?? this.#owner.sharedReceiveMemory;
  }

  received(memory: Uint8Array, length: number): void {
    if (!this.#isOpen) return;
    const delivered = this.#framesDelivered;
    this.#lastActivity = this.#owner.clock.monotonic();
    this.#isReceiving = true;
    try {
      if (this.#isFrameMemory(memory)) this.#reader.received(length);
      else this.#reader.receive(memory, length);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#owner.misbehaved(this, error.message, error);
      this.close();
      return;
    } finally {
      this.#isReceiving = false;
    }
    if (!this.#reader.isInsideFrame) this.#frameSince = -1;
    else if (this.#frameSince < 0 || this.#framesDelivered !== delivered)
      this.#frameSince = this.#lastActivity;
    this.#beginWaiting();
    this.#flush();
  }

  /** Closes if a limit in time has passed. Called by the owner now and then. */
  sweep(now: number): void {
    const { maxIdleMs, frameTimeoutMs } = this.#owner.limits;
    if (this.#frameSince >= 0 && !this.#isPaused && now - this.#frameSince > frameTimeoutMs) {
      this.#owner.misbehaved(this, 'a request frame did not arrive in time', null);
      this.close();
    } else if (
      now - this.#lastActivity > maxIdleMs &&
      (this.#inProcess.length === 0 || this.#unsentBytes > 0)
    ) {
      this.close();
    }
  }

  /** Begins no further request; closes once those in process are answered and sent. */
  drain(): void {
    this.#isDraining = true;
    this.#pause();
    for (const frame of this.#waiting.splice(0)) frame.release();
    this.#waitingBytes = 0;
    this.#closeIfDrained();
  }

  closeBecause(reason: string): void {
    if (!this.#isOpen) return;
    this.#owner.misbehaved(this, reason, null);
    this.close();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#reader.discard();
    for (const frame of this.#waiting.splice(0)) frame.release();
    this.#stream?.destroy();
    for (const exchange of this.#inProcess.splice(0)) {
      exchange.disconnected();
      exchange.finished();
    }
    for (const exchange of this.#finishing.splice(0)) exchange.finished();
    for (const { exchanges } of [...this.#writes.splice(0), ...this.#outgoing.splice(0)]) {
      for (const exchange of exchanges) exchange.finished();
    }
    this.#output = null;
    this.#owner.unsentChanged(-this.#unsentBytes);
    this.#owner.closed(this);
  }

  /** For exchanges: one more is answered. */
  answered(): void {
    if (!this.#isOpen) return;
    let head = this.#inProcess[0];
    while (head?.isAnswered) {
      this.#inProcess.shift();
      this.#inProcessBytes -= head.frame.bytes.length;
      this.#output ??= new ByteWriter(this.#nextOutputBytes);
      head.writeTo(this.#output);
      this.#finishing.push(head);
      if (this.#outputBytes >= LARGE_OUTPUT_BYTES) this.#putTogether();
      head = this.#inProcess[0];
    }
    if (this.#outgoing.length > 0 && !this.#isBeginning && !this.#isReceiving) this.#flush();
    this.#beginWaiting();
    this.#scheduleFlush();
  }

  #isFrameMemory(memory: Uint8Array): boolean {
    const target = this.#reader.receiveInto;
    return target !== null && target.buffer === memory.buffer && target.byteOffset === memory.byteOffset;
  }

  /** For the reader. A request that may begin does so where it lies: what is kept of it is copied then. */
  passed(bytes: Uint8Array): void {
    if (!this.#isDraining && this.#waiting.length === 0 && !this.#isBeginning) {
      const frame = new BorrowedFrame(bytes);
      const pipelined = this.#owner.processor.isPipelined(bytes);
      if (this.#mayBegin(frame, pipelined)) {
        this.#framesDelivered += 1;
        this.#begin(frame, pipelined);
        return;
      }
    }
    const frame = this.#owner.memory.lease(bytes.length);
    frame.bytes.set(bytes);
    this.arrived(frame);
  }

  /** For the reader. */
  arrived(frame: FrameLease): void {
    this.#framesDelivered += 1;
    if (this.#isDraining) {
      frame.release();
      return;
    }
    this.#waitingBytes += frame.bytes.length;
    this.#waiting.push(frame);
  }

  #begin(frame: FrameLease, pipelined: boolean): void {
    this.#inProcessBytes += frame.bytes.length;
    const exchange = new Exchange(this, frame, pipelined);
    this.#inProcess.push(exchange);
    this.#owner.processor.begin(exchange);
  }

  /** Begins what may begin. Answers that come at once come back here through `answered`, hence the guard. */
  #beginWaiting(): void {
    if (this.#isBeginning || this.#isReceiving) return;
    this.#isBeginning = true;
    let frame = this.#waiting[0];
    while (frame !== undefined && this.#isOpen) {
      const pipelined = this.#owner.processor.isPipelined(frame.bytes);
      if (!this.#mayBegin(frame, pipelined)) break;
      this.#waiting.shift();
      this.#waitingBytes -= frame.bytes.length;
      this.#begin(frame, pipelined);
      frame = this.#waiting[0];
    }
    this.#isBeginning = false;
    this.#adjustReading();
  }

  #mayBegin(frame: FrameLease, pipelined: boolean): boolean {
    const { maxUnsentBytes, maxRequestBytes } = this.#owner.limits;
    if (this.unsentBytes > maxUnsentBytes) return false;
    const last = this.#inProcess.at(-1);
    if (last === undefined) return true;
    // Only pipelined ones begin while another is unanswered, so the last speaks for all.
    if (!pipelined || !last.pipelined || this.#inProcess.length >= MAX_PIPELINED) return false;
    return this.#inProcessBytes + frame.bytes.length <= maxRequestBytes;
  }

  #adjustReading(): void {
    if (!this.#isOpen || this.#isDraining) return;
    const { maxWaitingRequests, maxRequestBytes } = this.#owner.limits;
    const bytes = this.#waitingBytes + this.#inProcessBytes;
    const tooMuch = this.#waiting.length >= maxWaitingRequests || bytes >= maxRequestBytes;
    if (tooMuch && this.#waiting.length > 0) this.#pause();
    else if (this.#isPaused) this.#resume();
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#stream?.pause();
  }

  #resume(): void {
    this.#isPaused = false;
    // The time that reading was stopped is not the peer's.
    if (this.#frameSince >= 0) this.#frameSince = this.#owner.clock.monotonic();
    this.#stream?.resume();
  }

  /** Answers of one turn leave together; those of a read event leave at its end. */
  #scheduleFlush(): void {
    if (this.#isFlushScheduled || this.#isBeginning || this.#isReceiving) return;
    this.#isFlushScheduled = true;
    process.nextTick(() => {
      this.#isFlushScheduled = false;
      this.#flush();
    });
  }

  /** What was answered so far is a write of its own. */
  #putTogether(): void {
    const output = this.#output;
    const bytes = this.#outputBytes;
    const exchanges = this.#finishing;
    this.#output = null;
    this.#finishing = [];
    if (output === null || bytes === 0) {
      for (const exchange of exchanges) exchange.finished();
      return;
    }
    this.#nextOutputBytes = Math.min(MOST_OUTPUT_BYTES, Math.max(FIRST_OUTPUT_BYTES, output.position));
    this.#unsentBytes += bytes;
    this.#owner.unsentChanged(bytes);
    this.#outgoing.push({ output, bytes, exchanges });
  }

  #flush(): void {
    const stream = this.#stream;
    if (!this.#isOpen || stream === null) return;
    if (this.#finishing.length > 0) this.#putTogether();
    if (this.#outgoing.length === 0) {
      this.#closeIfDrained();
      return;
    }
    this.#lastActivity = this.#owner.clock.monotonic();
    const outgoing = this.#outgoing;
    this.#outgoing = [];
    for (const write of outgoing) {
      this.#writes.push(write);
      stream.write(write.output.toChunks(), write.bytes, this.#written);
    }
  }

  readonly #written = (): void => {
    const write = this.#writes.shift();
    if (write === undefined) return;
    this.#unsentBytes -= write.bytes;
    this.#owner.unsentChanged(-write.bytes);
    this.#lastActivity = this.#owner.clock.monotonic();
    for (const exchange of write.exchanges) exchange.finished();
    if (!this.#isOpen) return;
    this.#beginWaiting();
    this.#flush();
    this.#closeIfDrained();
  };

  #closeIfDrained(): void {
    if (!this.#isDraining || this.#inProcess.length > 0 || this.#finishing.length > 0) return;
    if (this.#outgoing.length === 0 && this.#writes.length === 0) this.close();
  }
}
