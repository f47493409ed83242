import type { ByteStream, ConnectAddress, ConnectingReceiver } from '../network.ts';
import type { Turns } from '../turns.ts';
import type { MemoryNetwork } from './memory-network.ts';

/** The side that connects, as the Network port has it, over a connection in memory. It cannot pause. */
export function connectOver(
  network: MemoryNetwork,
  turns: Turns,
  { host, port }: ConnectAddress,
  receiver: ConnectingReceiver,
): ByteStream {
  let memory: Uint8Array = new Uint8Array(0);
  let isConnected = false;
  let isDestroyed = false;
  const link = network.open(host, port, {
    connected: () => {
      isConnected = true;
      receiver.connected();
    },
    target: () => {
      memory = receiver.memory();
      return memory;
    },
    received: (length) => {
      if (!isDestroyed) receiver.received(memory, length);
    },
    drained: () => {},
    closed: (reason) => {
      if (isDestroyed) return;
      if (isConnected) receiver.ended();
      else receiver.refused(reason?.message ?? 'the connection was closed');
    },
  });
  return {
    resume: () => {},
    pause: () => {},
    write: (parts, _bytes, written) => {
      if (isDestroyed) return;
      // The bytes are copied at once.
      link.write(parts);
      turns.defer(() => {
        if (!isDestroyed) written();
      });
    },
    destroy: () => {
      isDestroyed = true;
      link.destroy();
    },
  };
}
