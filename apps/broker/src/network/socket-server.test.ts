import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { systemClock, systemTimers } from '@seatlog/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import type { LogFields, Logger } from '../logger.ts';
import { silentLogger } from '../logger.ts';
import { createMetrics } from '../metrics.ts';
import type { RequestProcessor } from './connection.ts';
import type { Exchange } from './exchange.ts';
import { nodeNetwork, nodeNetworkByEvents } from './node-network.ts';
import { type ServerLimits, SocketServer } from './socket-server.ts';

const DEADLINE_MS = 60_000;

const limits: ServerLimits = {
  maxFrameBytes: 100_000_000,
  maxIdleMs: 600_000,
  frameTimeoutMs: 30_000,
  maxWaitingRequests: 500,
  maxRequestBytes: 4_000_000,
  maxUnsentBytes: 1_000_000,
  maxConnections: 10_000,
  maxConnectionsPerHost: 10_000,
  backlog: 511,
};

/** The first byte of a test request says how it is treated. */
const PIPELINED = 1;
const PLAIN = 2;

function request(kind: number, id: number, padding = 0): Buffer {
  const frame = Buffer.alloc(4 + 5 + padding);
  frame.writeInt32BE(5 + padding, 0);
  frame.writeUInt8(kind, 4);
  frame.writeInt32BE(id, 5);
  return frame;
}

/** As they were read when the requests began: the bytes of pipelined ones are good no longer. */
const ids = new WeakMap<Exchange, number>();
const idOf = (exchange: Exchange): number => ids.get(exchange) ?? -1;

function answerTo(exchange: Exchange): Uint8Array {
  const answer = Buffer.alloc(8);
  answer.writeInt32BE(4, 0);
  answer.writeInt32BE(idOf(exchange), 4);
  return answer;
}

/** Keeps what has begun; a test answers when it likes, or at once with `answerAtOnce`. */
class TestProcessor implements RequestProcessor {
  readonly begun: Exchange[] = [];
  answerAtOnce: ((exchange: Exchange) => readonly Uint8Array[] | null) | null = null;

  isPipelined(frame: Uint8Array): boolean {
    return frame[0] === PIPELINED;
  }

  begin(exchange: Exchange): void {
    this.begun.push(exchange);
    ids.set(exchange, Buffer.from(exchange.frame.bytes).readInt32BE(1));
    if (this.answerAtOnce !== null) {
      const chunks = this.answerAtOnce(exchange);
      exchange.frame.release();
      exchange.answer(chunks);
    }
  }
}

class RecordingLog implements Logger {
  readonly lines: { message: string; fields: LogFields | undefined }[] = [];
  readonly debug = silentLogger.debug;
  readonly info = silentLogger.info;
  readonly error = silentLogger.error;
  warn(message: string, fields?: LogFields): void {
    this.lines.push({ message, fields });
  }
  with(): Logger {
    return this;
  }
}

interface Running {
  readonly server: SocketServer;
  readonly processor: TestProcessor;
  readonly log: RecordingLog;
  connect(): Promise<Socket>;
}

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function listen(
  change: Partial<ServerLimits>,
  receiveByEvents: boolean,
): Promise<{ server: SocketServer; processor: TestProcessor; log: RecordingLog; port: number }> {
  const processor = new TestProcessor();
  const log = new RecordingLog();
  const server = new SocketServer({
    listeners: [{ name: 'PLAINTEXT', host: '127.0.0.1', port: 0 }],
    limits: { ...limits, ...change },
    clock: systemClock,
    timers: systemTimers,
    log,
    metrics: createMetrics(),
    processor,
    network: receiveByEvents ? nodeNetworkByEvents : nodeNetwork,
  });
  const [bound] = await server.listen();
  cleanups.push(() => {
    server.stopAccepting();
    server.closeAll();
  });
  return { server, processor, log, port: bound?.port ?? 0 };
}

async function start(change: Partial<ServerLimits> = {}, receiveByEvents = false): Promise<Running> {
  const { server, processor, log, port } = await listen(change, receiveByEvents);
  server.serve();
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    cleanups.push(() => socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  return { server, processor, log, connect: open };
}

/** Waits until `condition` holds; fails at the deadline. */
async function until(condition: () => boolean, what: string): Promise<void> {
  const end = performance.now() + DEADLINE_MS;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function collectIds(socket: Socket): number[] {
  const ids: number[] = [];
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 8) {
      ids.push(rest.readInt32BE(4));
      rest = rest.subarray(8);
    }
  });
  return ids;
}

/** By an end or by a reset: who still sends may get either. */
async function closed(socket: Socket): Promise<void> {
  socket.resume();
  await until(() => socket.closed, 'the connection closes');
}

describe.each([
  ['received into our own memory', false],
  ["received by 'data' events", true],
])('SocketServer, %s', (_name, receiveByEvents) => {
  it('answers in the order of requests, however the answers come', async () => {
    const { processor, connect: open } = await start({}, receiveByEvents);
    const socket = await open();
    const ids = collectIds(socket);
    socket.write(Buffer.concat([1, 2, 3].map((id) => request(PIPELINED, id))));
    await until(() => processor.begun.length === 3, 'all pipelined requests begin');
    for (const exchange of [...processor.begun].reverse()) exchange.answer([answerTo(exchange)]);
    await until(() => ids.length === 3, 'three answers');
    expect(ids).toEqual([1, 2, 3]);
  });

  it('begins a plain request only when all before it are answered, and pipelined ones only after it', async () => {
    const { processor, connect: open } = await start({}, receiveByEvents);
    const socket = await open();
    const ids = collectIds(socket);
    const sent = [request(PIPELINED, 1), request(PIPELINED, 2), request(PLAIN, 3), request(PIPELINED, 4)];
    socket.write(Buffer.concat(sent));
    const answerNext = async (id: number, begunSoFar: number): Promise<void> => {
      await until(() => processor.begun.some((exchange) => idOf(exchange) === id), `request ${id} begins`);
      expect(processor.begun.length).toBe(begunSoFar);
      const exchange = processor.begun.find((candidate) => idOf(candidate) === id);
      exchange?.answer([answerTo(exchange)]);
    };
    await answerNext(1, 2);
    await answerNext(2, 2);
    await answerNext(3, 3);
    await answerNext(4, 4);
    await until(() => ids.length === 4, 'four answers');
    expect(ids).toEqual([1, 2, 3, 4]);
  });

  it('sends nothing for a null answer and goes on', async () => {
    const { processor, connect: open } = await start({}, receiveByEvents);
    processor.answerAtOnce = (exchange) => (idOf(exchange) === 1 ? null : [answerTo(exchange)]);
    const socket = await open();
    const ids = collectIds(socket);
    socket.write(Buffer.concat([request(PLAIN, 1), request(PLAIN, 2)]));
    await until(() => ids.length === 1, 'the second answer');
    expect(ids).toEqual([2]);
  });

  it('receives a frame of megabytes whole', async () => {
    const { processor, connect: open } = await start({}, receiveByEvents);
    const socket = await open();
    const big = request(PLAIN, 9, 5_000_000);
    big.fill(7, 9);
    socket.write(Buffer.concat([big, request(PLAIN, 10)]));
    await until(() => processor.begun.length === 1, 'the request begins');
    const [exchange] = processor.begun;
    expect(exchange?.frame.bytes.length).toBe(5_000_005);
    expect(exchange?.frame.bytes.subarray(5).every((byte) => byte === 7)).toBe(true);
    exchange?.answer(null);
    await until(() => processor.begun.length === 2, 'the one after it begins');
  });

  it.each([
    ['a negative size', Buffer.from([0xff, 0xff, 0xff, 0xf0]), undefined],
    ['the largest size', Buffer.from([0x7f, 0xff, 0xff, 0xff]), undefined],
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\n\r\n'), expect.stringContaining('HTTP request')],
    ['a TLS hello', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]), expect.stringContaining('TLS hello')],
  ])('F40: closes the connection on %s', async (_what, bytes, hint) => {
    const { processor, log, server, connect: open } = await start({}, receiveByEvents);
    const socket = await open();
    socket.write(bytes);
    await closed(socket);
    expect(processor.begun).toEqual([]);
    expect(server.connectionCount).toBe(0);
    expect(log.lines[0]?.fields?.['hint']).toEqual(hint);
  });

  it('F41: closes half frames after the time-out, also when bytes keep dripping', async () => {
    const { server, connect: open } = await start({ frameTimeoutMs: 100 }, receiveByEvents);
    const silent = await open();
    const dripping = await open();
    silent.write(request(PLAIN, 1).subarray(0, 6));
    dripping.write(Buffer.from([0, 0, 1, 0]));
    const drip = setInterval(() => dripping.write(Buffer.from([0])), 20);
    cleanups.push(() => clearInterval(drip));
    await Promise.all([closed(silent), closed(dripping)]);
    expect(server.connectionCount).toBe(0);
  });

  it('F41: 1,000 connections with a begun frame cost memory in proportion to their bytes', async () => {
    const { server, processor, connect: open } = await start({}, receiveByEvents);
    const before = process.memoryUsage().arrayBuffers;
    const sockets: Socket[] = [];
    // In groups that fit the backlog.
    while (sockets.length < 1000) sockets.push(...(await Promise.all(Array.from({ length: 20 }, open))));
    // 50 MB announced, 20 bytes sent.
    for (const socket of sockets) socket.write(Buffer.concat([Buffer.from([3, 0, 0, 0]), Buffer.alloc(20)]));
    await until(() => server.connectionCount === sockets.length, 'all are accepted');
    const probe = await open();
    probe.write(request(PLAIN, 1));
    await until(() => processor.begun.length === 1, 'another client is served');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000);
  });

  it('closes idle connections, and none whose request is in process', async () => {
    // Long enough for the request to arrive before its connection counts as idle.
    const { server, processor, connect: open } = await start({ maxIdleMs: 1000 }, receiveByEvents);
    const parked = await open();
    parked.write(request(PLAIN, 1));
    await until(() => processor.begun.length === 1, 'the request begins');
    const idle = await open();
    await closed(idle);
    expect(server.connectionCount).toBe(1);
  });

  it('F47: a client that never reads holds bounded answers, and others are served', async () => {
    const { processor, server, connect: open } = await start({}, receiveByEvents);
    const answer = Buffer.alloc(100_000);
    let answered = 0;
    processor.answerAtOnce = (exchange) => {
      if (idOf(exchange) >= 0) return [answerTo(exchange)];
      answered += 1;
      return [answer];
    };
    const deaf = await open();
    deaf.pause();
    const many = Buffer.concat(Array.from({ length: 2000 }, () => request(PLAIN, -1)));
    for (let round = 0; round < 20; round += 1) deaf.write(many);
    const other = await open();
    const ids = collectIds(other);
    other.write(request(PLAIN, 5));
    await until(() => ids.length === 1, 'the other client is answered');
    await until(() => server.limits.maxUnsentBytes / answer.length < answered, 'the bound is reached');
    other.write(request(PLAIN, 6));
    await until(() => ids.length === 2, 'the other client is answered again');
    // The kernel's buffers take some; the rest is bounded by the limit and one answer. 40,000 were asked for.
    expect(answered).toBeLessThan(1000);
  });

  it('stops reading while too many requests wait, and goes on after', async () => {
    const { processor, connect: open } = await start({ maxWaitingRequests: 10 }, receiveByEvents);
    const socket = await open();
    const ids = collectIds(socket);
    const count = 50_000;
    for (let id = 0; id < count; id += 1) socket.write(request(PLAIN, id));
    await until(() => processor.begun.length === 1, 'the first begins');
    const [first] = processor.begun;
    processor.answerAtOnce = (exchange) => [answerTo(exchange)];
    first?.answer([answerTo(first)]);
    await until(() => ids.length === count, 'all are answered');
    expect(ids.every((id, index) => id === index)).toBe(true);
  });

  it('begins pipelined requests up to the bound on their bytes, one at least', async () => {
    const { processor, connect: open } = await start({ maxRequestBytes: 3000 }, receiveByEvents);
    const socket = await open();
    const ids = collectIds(socket);
    const sent = [request(PIPELINED, 1, 5000), ...[2, 3, 4, 5, 6].map((id) => request(PIPELINED, id, 1000))];
    socket.write(Buffer.concat(sent));
    await until(() => processor.begun.length === 1, 'the first begins');
    const answer = (index: number): void => {
      const exchange = processor.begun[index];
      exchange?.answer([answerTo(exchange)]);
    };
    answer(0);
    await until(() => processor.begun.length === 3, 'two more fit the bound');
    for (const index of [1, 2, 3, 4, 5]) {
      answer(index);
      const begun = Math.min(index + 3, sent.length);
      await until(() => processor.begun.length === begun, `one more begins after answer ${index}`);
    }
    await until(() => ids.length === 6, 'all are answered');
    expect(ids).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('refuses connections above the limits, and takes them again when some have closed', async () => {
    const { server, connect: open } = await start({ maxConnections: 2 }, receiveByEvents);
    const first = await open();
    await open();
    const third = await open();
    await closed(third);
    expect(server.connectionCount).toBe(2);
    first.destroy();
    await until(() => server.connectionCount === 1, 'the first is gone');
    await open();
    await until(() => server.connectionCount === 2, 'another is taken');
  });

  it('lets connections that come before it serves wait, and then serves them', async () => {
    const { server, processor, port } = await listen({}, receiveByEvents);
    const socket = connect(port, '127.0.0.1');
    cleanups.push(() => socket.destroy());
    socket.on('error', () => {});
    socket.write(request(PLAIN, 1));
    await once(socket, 'connect');
    expect(processor.begun).toEqual([]);
    server.serve();
    await until(() => processor.begun.length === 1, 'the request begins');
  });

  it('tells a parked request of its lost connection', async () => {
    const { processor, connect: open } = await start({}, receiveByEvents);
    const socket = await open();
    socket.write(request(PLAIN, 1));
    await until(() => processor.begun.length === 1, 'the request begins');
    let told = 0;
    processor.begun[0]?.onDisconnect(() => {
      told += 1;
    });
    socket.destroy();
    await until(() => told === 1, 'the handler is told');
    processor.begun[0]?.answer([Buffer.alloc(1)]);
    expect(told).toBe(1);
  });

  it('drains: what is in process is answered, then the connection closes', async () => {
    const { processor, server, connect: open } = await start({}, receiveByEvents);
    const socket = await open();
    const ids = collectIds(socket);
    socket.write(Buffer.concat([request(PLAIN, 1), request(PLAIN, 2)]));
    await until(() => processor.begun.length === 1, 'the request begins');
    let drained = false;
    server.stopAccepting();
    server.drain(DEADLINE_MS, () => {
      drained = true;
    });
    const [exchange] = processor.begun;
    exchange?.answer(exchange === undefined ? null : [answerTo(exchange)]);
    await closed(socket);
    await until(() => drained, 'the server says so');
    expect(ids).toEqual([1]);
    expect(processor.begun.length).toBe(1);
  });
});
