/**
 * Directions of the network between nodes that may be cut, one by one. A connection that stands keeps what is sent into a
 * cut, and it arrives once it is healed, as TCP would have it; ends are not heard of meanwhile either. Connections that
 * begin while a direction between the two is cut are never made. Clients are not nodes: nothing is cut from them.
 */
import type { ByteStream, ConnectAddress, ConnectingReceiver, Network } from '@seatlog/runtime';

const nowhere: ByteStream = { resume: () => {}, pause: () => {}, write: () => {}, destroy: () => {} };

export class NetworkCuts {
  readonly #cut = new Set<string>();
  /** What waits in the cuts, in the order in which it was sent. */
  readonly #held: (() => void)[] = [];

  cut(from: number, to: number): void {
    this.#cut.add(`${from}>${to}`);
  }

  heal(): void {
    this.#cut.clear();
    for (const pass of this.#held.splice(0)) pass();
  }

  /** The network as one node has it. `nodeAt` tells whose a port is. */
  networkOf(node: number, inner: Network, nodeAt: (port: number) => number): Network {
    return {
      hostname: () => inner.hostname(),
      listen: (address, events) => inner.listen(address, events),
      connect: (address, receiver) => this.#connect(node, nodeAt(address.port), inner, address, receiver),
    };
  }

  #connect(
    node: number,
    other: number,
    inner: Network,
    address: ConnectAddress,
    receiver: ConnectingReceiver,
  ): ByteStream {
    if (this.#isCut(node, other) || this.#isCut(other, node)) return nowhere;
    let isDestroyed = false;
    const arrives = (action: () => void): void =>
      this.#pass(other, node, () => {
        if (!isDestroyed) action();
      });
    const stream = inner.connect(address, {
      memory: () => receiver.memory(),
      received: (memory, length) => {
        if (!this.#isCut(other, node)) return receiver.received(memory, length);
        // A Buffer of the receiver's would give a view of what is written over next.
        const bytes = Uint8Array.from(memory.subarray(0, length));
        arrives(() => receiver.received(bytes, length));
      },
      ended: () => arrives(() => receiver.ended()),
      connected: () => arrives(() => receiver.connected()),
      refused: (reason) => arrives(() => receiver.refused(reason)),
    });
    return {
      resume: () => stream.resume(),
      pause: () => stream.pause(),
      write: (parts, bytes, written) => this.#pass(node, other, () => stream.write(parts, bytes, written)),
      destroy: () => {
        isDestroyed = true;
        this.#pass(node, other, () => stream.destroy());
      },
    };
  }

  #pass(from: number, to: number, pass: () => void): void {
    if (this.#isCut(from, to)) this.#held.push(pass);
    else pass();
  }

  #isCut(from: number, to: number): boolean {
    return this.#cut.has(`${from}>${to}`);
  }
}
