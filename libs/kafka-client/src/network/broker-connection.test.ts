import { apis, encodeResponse, ErrorCode } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import type { KafkaClientError } from '../errors.ts';
import type { Connector, Link, LinkEvents } from '../ports.ts';
import { VirtualWorld } from '../testing/virtual-world.ts';
import { BrokerConnection } from './broker-connection.ts';

/** The other end of a connection, played by the test. */
class Peer implements Link {
  readonly pendingBytes = 0;
  readonly frames: Buffer[] = [];
  events!: LinkEvents;
  destroyed = false;

  write(parts: readonly Uint8Array[]): void {
    this.frames.push(Buffer.concat(parts));
  }

  destroy(): void {
    this.destroyed = true;
  }

  /** Correlation id of the latest request. */
  get correlationId(): number {
    return this.frames.at(-1)?.readInt32BE(8) ?? -1;
  }

  get version(): number {
    return this.frames.at(-1)?.readInt16BE(6) ?? -1;
  }

  send(parts: readonly Uint8Array[]): void {
    const bytes = Buffer.concat(parts);
    const target = this.events.target();
    bytes.copy(target);
    this.events.received(bytes.length);
  }

  /** Agrees on versions. */
  negotiate(): void {
    this.events.connected();
    const apiKeys = [{ apiKey: apis.metadata.key, minVersion: 0, maxVersion: 12 }];
    this.send(encodeResponse(apis.apiVersions, this.version, this.correlationId, { errorCode: 0, apiKeys }));
  }

  answerMetadata(correlationId = this.correlationId): void {
    this.send(encodeResponse(apis.metadata, 12, correlationId, { brokers: [], topics: [] }));
  }
}

function open(): { world: VirtualWorld; peer: Peer; connection: BrokerConnection; told: string[] } {
  const world = new VirtualWorld();
  const peer = new Peer();
  const connector: Connector = {
    open: (_host, _port, events) => {
      peer.events = events;
      return peer;
    },
  };
  const told: string[] = [];
  const connection = new BrokerConnection(
    'b',
    9092,
    {
      clientId: 'c',
      connectTimeoutMs: 1000,
      requestTimeoutMs: 500,
      receiveFrameMaxBytes: 10_000,
      ports: { clock: world, timers: world, turns: world, random: world, connector },
    },
    {
      ready: () => void told.push('ready'),
      drained: () => void told.push('drained'),
      closed: (error) => void told.push(error.code),
    },
  );
  return { world, peer, connection, told };
}

const metadata = { topics: [] };
const failure = (promise: Promise<unknown>): Promise<KafkaClientError> =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error as KafkaClientError,
  );

describe('broker connection', () => {
  it('agrees on versions, then answers requests in their order', async () => {
    const { world, peer, connection, told } = open();
    expect(() => connection.call(apis.metadata, 12, metadata, () => undefined)).toThrow('closed');
    peer.negotiate();
    expect(told).toEqual(['ready']);
    const first = connection.request(apis.metadata, metadata);
    const firstId = peer.correlationId;
    const second = connection.request(apis.metadata, metadata);
    expect(connection.inFlight).toBe(2);
    peer.answerMetadata(firstId);
    await world.until(first);
    peer.answerMetadata();
    await world.until(second);
    expect(connection.inFlight).toBe(0);
  });

  it('F45: falls back to a version of ApiVersions that the broker offers', () => {
    const { peer, told } = open();
    peer.events.connected();
    expect(peer.version).toBe(apis.apiVersions.maxVersion);
    const refusal = {
      errorCode: ErrorCode.UNSUPPORTED_VERSION,
      apiKeys: [{ apiKey: apis.apiVersions.key, minVersion: 0, maxVersion: 2 }],
    };
    peer.send(encodeResponse(apis.apiVersions, 0, peer.correlationId, refusal));
    expect(peer.version).toBe(2);
    peer.send(encodeResponse(apis.apiVersions, 2, peer.correlationId, { errorCode: 0, apiKeys: [] }));
    expect(told).toEqual(['ready']);
  });

  it('refuses an API that the broker does not speak, before anything is sent', async () => {
    const { peer, connection } = open();
    peer.negotiate();
    const sent = peer.frames.length;
    expect(
      await failure(connection.request(apis.produce, { acks: 1, timeoutMs: 1, topicData: [] })),
    ).toMatchObject({
      code: 'API_NOT_SUPPORTED',
      retriable: false,
    });
    expect(peer.frames.length).toBe(sent);
  });

  it('gives up when the connection is not made in time', async () => {
    const { world, peer, told } = open();
    await world.pass(1001);
    expect(told).toEqual(['CONNECTION_FAILED']);
    expect(peer.destroyed).toBe(true);
  });

  it('F41: gives the connection up when an answer is overdue, and fails all that are under way', async () => {
    const { world, peer, connection, told } = open();
    peer.negotiate();
    const first = failure(connection.request(apis.metadata, metadata));
    await world.pass(300);
    const second = failure(connection.request(apis.metadata, metadata));
    const patient = failure(connection.request(apis.metadata, metadata, { timeoutMs: 60_000 }));
    await world.pass(250);
    for (const promise of [first, second, patient]) {
      expect(await world.until(promise)).toMatchObject({ code: 'REQUEST_TIMEOUT', retriable: true });
    }
    expect(told).toEqual(['ready', 'REQUEST_TIMEOUT']);
    expect(peer.destroyed).toBe(true);
  });

  it('F23: an answer that belongs to another request ends the connection', async () => {
    const { world, peer, connection } = open();
    peer.negotiate();
    const request = failure(connection.request(apis.metadata, metadata));
    peer.answerMetadata(4711);
    expect(await world.until(request)).toMatchObject({ code: 'MALFORMED_RESPONSE' });
    expect(connection.isClosed).toBe(true);
  });

  it('F40: bytes that are no frame end the connection', async () => {
    const { world, peer, connection } = open();
    peer.negotiate();
    const request = failure(connection.request(apis.metadata, metadata));
    peer.send([Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]);
    expect(await world.until(request)).toMatchObject({ code: 'MALFORMED_RESPONSE' });
    expect(peer.destroyed).toBe(true);
  });

  it('an answer that nobody asked for ends the connection', () => {
    const { peer, told } = open();
    peer.negotiate();
    peer.answerMetadata(1);
    expect(told).toEqual(['ready', 'MALFORMED_RESPONSE']);
  });

  it('tells the closing by the other side to all that are under way', async () => {
    const { world, peer, connection, told } = open();
    peer.negotiate();
    const request = failure(connection.request(apis.metadata, metadata));
    peer.events.closed(new Error('ECONNRESET'));
    expect(await world.until(request)).toMatchObject({ code: 'CONNECTION_CLOSED', retriable: true });
    expect(told).toEqual(['ready', 'CONNECTION_CLOSED']);
    expect(() => connection.call(apis.metadata, 12, metadata, () => undefined)).toThrow('closed');
  });
});
