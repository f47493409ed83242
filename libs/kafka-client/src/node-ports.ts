/** Node's clock, timers, randomness and sockets behind the client's ports. The only file that touches them. */
import { connect } from 'node:net';
import type { Connector, LinkEvents, Ports } from './ports.ts';

/** Frames shorter than this are joined before they are written: one small write costs less than a vectored one. */
const JOIN_BELOW_BYTES = 4096;
const LONGEST_NODE_DELAY_MS = 2 ** 31 - 1;

export const nodeConnector: Connector = {
  open(host, port, events) {
    const socket = connect({
      host,
      port,
      noDelay: true,
      keepAlive: true,
      onread: { buffer: () => events.target(), callback: (length) => receive(events, length) },
    });
    let failure: Error | null = null;
    socket.on('connect', () => events.connected());
    socket.on('drain', () => events.drained());
    socket.on('error', (error) => {
      failure = error;
    });
    socket.on('close', () => events.closed(failure));
    return {
      write(parts) {
        let bytes = 0;
        for (const part of parts) bytes += part.length;
        if (bytes < JOIN_BELOW_BYTES && parts.length > 1) {
          socket.write(Buffer.concat(parts, bytes));
          return;
        }
        socket.cork();
        for (const part of parts) socket.write(part);
        socket.uncork();
      },
      get pendingBytes() {
        return socket.writableLength;
      },
      destroy: () => void socket.destroy(),
    };
  },
};

function receive(events: LinkEvents, length: number): boolean {
  events.received(length);
  return true;
}

export const nodePorts: Ports = {
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
  timers: {
    schedule(delayMs, action) {
      const timer = setTimeout(action, Math.min(Math.max(delayMs, 0), LONGEST_NODE_DELAY_MS));
      return () => clearTimeout(timer);
    },
  },
  turns: { defer: (action) => void setImmediate(action) },
  random: { fraction: () => Math.random() },
  connector: nodeConnector,
};
