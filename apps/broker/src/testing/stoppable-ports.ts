/**
 * The ports of one node that may be stopped, as SIGSTOP stops a process: timers that fall due, turns, and bytes that
 * arrive meanwhile wait, and come all at once when it goes on. Others can still connect, and get no answer.
 */
import type {
  ByteReceiver,
  ByteStream,
  ConnectingReceiver,
  IncomingStream,
  Network,
  Timers,
  Turns,
} from '@seatlog/runtime';
import type { BrokerPorts } from '../broker-ports.ts';

/** What the node has done with its end of a connection. */
interface LocalEnd {
  isDestroyed: boolean;
}

export class StoppablePorts {
  readonly ports: BrokerPorts;
  #isStopped = false;
  #isDead = false;
  #late: (() => void)[] = [];

  constructor(inner: BrokerPorts) {
    this.ports = {
      ...inner,
      timers: this.#timers(inner.timers),
      turns: this.#turns(inner.turns),
      network: this.#network(inner.network),
    };
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** What is late runs in its order; the caller ends the turns that come of it. */
  goOn(): void {
    this.#isStopped = false;
    for (const action of this.#late.splice(0)) action();
  }

  /** The process is gone: nothing of it runs any more. */
  end(): void {
    this.#isDead = true;
    this.#late = [];
  }

  #run(action: () => void): void {
    if (this.#isDead) return;
    if (this.#isStopped) this.#late.push(action);
    else action();
  }

  #timers(inner: Timers): Timers {
    return {
      schedule: (delayMs, action) => {
        let isCancelled = false;
        const cancel = inner.schedule(delayMs, () =>
          this.#run(() => {
            if (!isCancelled) action();
          }),
        );
        return () => {
          isCancelled = true;
          cancel();
        };
      },
    };
  }

  #turns(inner: Turns): Turns {
    return { defer: (action) => inner.defer(() => this.#run(action)) };
  }

  #network(inner: Network): Network {
    return {
      hostname: () => inner.hostname(),
      listen: (address, events) =>
        inner.listen(address, {
          accepted: (stream) => this.#run(() => events.accepted(this.#incoming(stream))),
          failed: (error) => this.#run(() => events.failed(error)),
        }),
      connect: (address, receiver) => {
        const end: LocalEnd = { isDestroyed: false };
        const gated: ConnectingReceiver = {
          ...this.#receiver(receiver, end),
          connected: () => this.#run(() => receiver.connected()),
          refused: (reason) => this.#run(() => receiver.refused(reason)),
        };
        return this.#stream(inner.connect(address, gated), end);
      },
    };
  }

  #incoming(stream: IncomingStream): IncomingStream {
    const end: LocalEnd = { isDestroyed: false };
    return {
      remoteAddress: stream.remoteAddress,
      get isDestroyed() {
        return stream.isDestroyed;
      },
      open: (receiver) => this.#stream(stream.open(this.#receiver(receiver, end)), end),
      destroy: () => stream.destroy(),
    };
  }

  #receiver(receiver: ByteReceiver, end: LocalEnd): ByteReceiver {
    const run = (action: () => void): void =>
      this.#run(() => {
        if (!end.isDestroyed) action();
      });
    return {
      memory: () => receiver.memory(),
      received: (memory, length) => {
        if (!this.#isStopped) return receiver.received(memory, length);
        // A Buffer of the receiver's would give a view of what is written over next.
        const bytes = Uint8Array.from(memory.subarray(0, length));
        run(() => receiver.received(bytes, length));
      },
      ended: () => run(() => receiver.ended()),
    };
  }

  #stream(stream: ByteStream, end: LocalEnd): ByteStream {
    return {
      resume: () => stream.resume(),
      pause: () => stream.pause(),
      write: (parts, bytes, written) => stream.write(parts, bytes, () => this.#run(written)),
      destroy: () => {
        end.isDestroyed = true;
        stream.destroy();
      },
    };
  }
}
