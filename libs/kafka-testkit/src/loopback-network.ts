import { nodeNetwork } from '@seatlog/broker/embedded';
import type { Network } from '@seatlog/runtime';
import type { MemoryNetwork } from '@seatlog/runtime/testing';

/** Listens in memory and on a socket under the same port, so that one advertised address serves both. */
export function alsoOnSockets(memory: MemoryNetwork): Network {
  return {
    hostname: () => nodeNetwork.hostname(),
    connect: (address, receiver) => nodeNetwork.connect(address, receiver),
    listen: async (address, events) => {
      const socket = await nodeNetwork.listen(address, events);
      const inMemory = await memory.listen({ ...address, port: socket.port }, events);
      return {
        host: socket.host,
        port: socket.port,
        close: () => {
          socket.close();
          inMemory.close();
        },
      };
    },
  };
}
