import { describe, expect, it } from 'vitest';
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { MemoryBroker } from '../metadata/testing/memory-broker.ts';
import { initProducerId } from './22-init-producer-id.ts';

const plain = { transactionalId: null, transactionTimeoutMs: 60_000 };

function setUp() {
  const broker = new MemoryBroker();
  return { broker, client: broker.client(apis.initProducerId, initProducerId) };
}

describe('InitProducerId', () => {
  it.each([0, 1, 2, 3, 4])('version %i gives each producer an id of its own, at epoch 0', (version) => {
    const { client } = setUp();
    const given = [1, 2, 3].map(() => client.call(version, plain));
    expect(
      given.map(({ producerId, producerEpoch, errorCode }) => [producerId, producerEpoch, errorCode]),
    ).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [2, 0, 0],
    ]);
  });

  it('gives no id before its block is committed', () => {
    const { broker, client } = setUp();
    broker.metadata.hold = true;
    const first = client.send(4, plain);
    const second = client.send(4, plain);
    expect([first, second]).toEqual([[], []]);
    broker.metadata.commit();
    expect([first[0]?.producerId, second[0]?.producerId]).toEqual([0, 1]);
    expect(broker.metadata.image.nextProducerId).toBe(1000);
  });

  it('goes from block to block without giving an id twice', () => {
    const { broker, client } = setUp();
    const ids = new Set(Array.from({ length: 2500 }, () => client.call(4, plain).producerId));
    expect(ids.size).toBe(2500);
    expect(broker.metadata.image.nextProducerId).toBe(3000);
  });

  it('begins a block anew after a restart, so that no id comes back', () => {
    const { broker, client } = setUp();
    client.call(4, plain);
    const restarted = broker.client(apis.initProducerId, initProducerId);
    expect(restarted.call(4, plain).producerId).toBe(1000);
  });

  it.each(['', 'payments'])(
    'refuses the transactional id %j with a code that ends the attempt',
    (transactionalId) => {
      const { client } = setUp();
      expect(client.call(4, { ...plain, transactionalId })).toMatchObject({
        errorCode: ErrorCode.INVALID_REQUEST,
        producerId: -1,
      });
    },
  );

  it('refuses an id without epoch, and an epoch without id', () => {
    const { client } = setUp();
    for (const half of [
      { producerId: 5, producerEpoch: -1 },
      { producerId: -1, producerEpoch: 5 },
    ]) {
      expect(client.call(4, { ...plain, ...half }).errorCode).toBe(ErrorCode.INVALID_REQUEST);
    }
  });

  it('lets producers ask again while the metadata log cannot be written, and serves them afterwards', () => {
    const { broker, client } = setUp();
    broker.metadata.failWith = { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, message: 'disk full' };
    expect(client.call(4, plain).errorCode).toBe(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
    broker.metadata.failWith = null;
    expect(client.call(4, plain)).toMatchObject({ errorCode: 0, producerId: 0 });
  });
});
