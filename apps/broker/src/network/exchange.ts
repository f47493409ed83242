/**
 * One request and its answer on a connection. The processor answers once, now or later; the connection puts the
 * answers on the wire in the order of the requests.
 */
import type { ByteWriter } from '@seatlog/kafka-protocol';
import type { FrameLease } from './frame-memory.ts';

/** What an exchange tells its connection. */
export interface ExchangeOwner {
  readonly listenerName: string;
  readonly clientHost: string;
  readonly isOpen: boolean;
  answered(): void;
  closeBecause(reason: string): void;
}

/** An answer that writes its frame itself when it is its turn. It must not fail. */
export interface DirectAnswer {
  writeTo(output: ByteWriter): void;
}

export class Exchange {
  readonly #owner: ExchangeOwner;
  readonly frame: FrameLease;
  readonly pipelined: boolean;
  #isAnswered = false;
  #chunks: readonly Uint8Array[] | null = null;
  #direct: DirectAnswer | null = null;
  #disconnect: (() => void) | null = null;
  #sent: (() => void) | null = null;

  constructor(owner: ExchangeOwner, frame: FrameLease, pipelined: boolean) {
    this.#owner = owner;
    this.frame = frame;
    this.pipelined = pipelined;
  }

  get listenerName(): string {
    return this.#owner.listenerName;
  }

  get clientHost(): string {
    return this.#owner.clientHost;
  }

  get isConnected(): boolean {
    return this.#owner.isOpen;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Gives the answer; null sends nothing. A second answer is a defect of the handler. */
  answer(chunks: readonly Uint8Array[] | null): void {
    this.#beAnswered();
    this.#chunks = chunks;
    this.#owner.answered();
  }

  answerDirectly(answer: DirectAnswer): void {
    this.#beAnswered();
    this.#direct = answer;
    this.#owner.answered();
  }

  /** For the connection: the answer's bytes, if there are any, go behind the others. */
  writeTo(output: ByteWriter): void {
    if (this.#direct !== null) this.#direct.writeTo(output);
    else if (this.#chunks !== null) for (const chunk of this.#chunks) output.passThrough(chunk);
  }

  #beAnswered(): void {
    if (this.#isAnswered) throw new Error('a request was answered twice');
    this.#isAnswered = true;
    this.#disconnect = null;
  }

  /** `action` runs if the connection closes before the answer is given. */
  onDisconnect(action: () => void): void {
    if (!this.#owner.isOpen) action();
    else if (!this.#isAnswered) this.#disconnect = action;
  }

  /** `action` runs once the answer's bytes are no longer needed: sent, or never to be sent. */
  onSent(action: () => void): void {
    if (this.#owner.isOpen) this.#sent = action;
    else action();
  }

  closeConnection(reason: string): void {
    this.#owner.closeBecause(reason);
  }

  /** For the connection: it has closed. */
  disconnected(): void {
    const action = this.#disconnect;
    this.#disconnect = null;
    action?.();
  }

  /** For the connection: the answer's bytes have left. */
  finished(): void {
    const action = this.#sent;
    this.#sent = null;
    action?.();
  }
}
