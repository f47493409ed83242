import { connect } from 'node:net';
import { apis, decodeResponse, ErrorCode } from '@seatlog/kafka-protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker, until } from '../testing/test-broker.ts';
import { handlerTable } from './index.ts';

let broker: TestBroker;

beforeAll(async () => {
  broker = await startTestBroker();
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

const software = { clientSoftwareName: 'wire-client', clientSoftwareVersion: '1.0' };

describe('ApiVersions', () => {
  it.each([0, 1, 2, 3, 4])('tells exactly the handler table, version %d', async (version) => {
    const client = await broker.connect();
    const response = await client.ask(apis.apiVersions, version, software);
    expect(response.errorCode).toBe(0);
    expect(response.apiKeys.map(({ apiKey }) => apiKey)).toEqual(
      handlerTable.map(({ api }) => api.key).sort((left, right) => left - right),
    );
    const produce = response.apiKeys.find(({ apiKey }) => apiKey === 0);
    expect(produce).toMatchObject({ minVersion: 0, maxVersion: 11 });
  });

  it('tells the version of the metadata, and features from level 0 to those alone who can take them', async () => {
    const client = await broker.connect();
    const third = await client.ask(apis.apiVersions, 3, software);
    const fourth = await client.ask(apis.apiVersions, 4, software);
    expect(third.supportedFeatures.map(({ name }) => name)).toContain('metadata.version');
    expect(third.finalizedFeatures.map(({ name }) => name)).toContain('metadata.version');
    expect(third.supportedFeatures.every(({ minVersion }) => minVersion > 0)).toBe(true);
    expect(fourth.supportedFeatures.some(({ minVersion }) => minVersion === 0)).toBe(true);
  });

  it('refuses software names that are none', async () => {
    const client = await broker.connect();
    const response = await client.ask(apis.apiVersions, 3, { ...software, clientSoftwareName: '-bad name-' });
    expect(response.errorCode).toBe(ErrorCode.INVALID_REQUEST);
  });

  it('F45: answers an unknown version in version 0 with error 35 and its own range', async () => {
    const client = await broker.connect();
    const frame = await client.answerTo(client.sendRaw(18, 99));
    const { body } = decodeResponse(apis.apiVersions, 0, frame);
    expect(body).toMatchObject({
      errorCode: ErrorCode.UNSUPPORTED_VERSION,
      apiKeys: [{ apiKey: 18, minVersion: 0, maxVersion: 4 }],
    });
    expect((await client.ask(apis.apiVersions, 0, {})).errorCode).toBe(0);
  });

  it.each([
    ['an unknown key', 999, 0],
    ['a negative key', -1, 0],
    ['a version above', 1, 99],
    ['a version below', 0, 2],
    ['a key that is declared and not served', 26, 3],
  ])('F45: closes the connection on %s', async (_what, key, version) => {
    const client = await broker.connect();
    client.sendRaw(key, version);
    await client.closed();
    expect(client.isClosed).toBe(true);
  });

  it.each([
    ['no header', Buffer.from([0, 0, 0, 3, 0, 18, 0])],
    ['an empty frame', Buffer.from([0, 0, 0, 0])],
    ['a client id beyond the frame', Buffer.from([0, 0, 0, 10, 0, 3, 0, 1, 0, 0, 0, 1, 0x7f, 0xff])],
    [
      'a count of 2^31-1',
      Buffer.from([0, 0, 0, 14, 0, 3, 0, 1, 0, 0, 0, 1, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]),
    ],
  ])('F42: closes the connection on %s', async (_what, bytes) => {
    const socket = connect(broker.broker.listeners[0]?.port ?? 0, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(bytes);
    socket.resume();
    await until(() => socket.closed, 'the connection closes');
  });
});
