import { apis, batchesIn, decodeRecords, ErrorCode } from '@seatlog/kafka-protocol';
import { MemoryFileSystem } from '@seatlog/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import {
  batchOf,
  startTestBroker,
  type TestBroker,
  type TestBrokerOptions,
  until,
} from './testing/test-broker.ts';

const running: TestBroker[] = [];

afterEach(async () => {
  for (const broker of running.splice(0)) await broker[Symbol.asyncDispose]();
});

async function start(options: TestBrokerOptions = {}): Promise<TestBroker> {
  const broker = await startTestBroker(options);
  running.push(broker);
  return broker;
}

async function append(broker: TestBroker, topic: string, value: string, partition = 0) {
  const client = await broker.connect();
  const topicData = [
    { name: topic, partitionData: [{ index: partition, records: batchOf({ values: [value] }) }] },
  ];
  const response = await client.ask(apis.produce, 9, { acks: -1, timeoutMs: 5000, topicData });
  return response.responses[0]?.partitionResponses[0];
}

async function readAll(broker: TestBroker, topic: string): Promise<string[]> {
  const client = await broker.connect();
  const partitions = [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1_000_000 }];
  const request = { maxWaitMs: 0, minBytes: 1, maxBytes: 1_000_000, topics: [{ topic, partitions }] };
  const response = await client.ask(apis.fetch, 11, request);
  const records = response.responses[0]?.partitions[0]?.records ?? new Uint8Array(0);
  return [...batchesIn(records)].flatMap((batch) =>
    decodeRecords(batch).map(({ value }) => new TextDecoder().decode(value ?? new Uint8Array(0))),
  );
}

const partitionOf = (broker: TestBroker, topic: string) =>
  broker.broker.services.replicas.partition(topic, 0);

describe('a broker that starts again', () => {
  it('has its records, its high watermark and its topics, and leads in a later epoch', async () => {
    const first = await start();
    await first.createTopic('kept', { 'retention.ms': '123456789' });
    await append(first, 'kept', 'a');
    await append(first, 'kept', 'b');
    const epoch = partitionOf(first, 'kept')?.leaderEpoch ?? -1;
    await first.broker.stop();

    const second = await start({ fileSystem: first.fileSystem });
    const partition = partitionOf(second, 'kept');
    expect(await readAll(second, 'kept')).toEqual(['a', 'b']);
    expect(partition?.highWatermark).toBe(2);
    expect(partition?.config['retention.ms']).toBe(123_456_789);
    expect(partition?.leaderEpoch).toBeGreaterThan(epoch);
    expect((await append(second, 'kept', 'c'))?.baseOffset).toBe(2);
    expect(partition?.log.leaderEpochs.map(({ startOffset }) => startOffset)).toEqual([0, 2]);
  });

  it('F1: after a kill serves what was acknowledged', async () => {
    const first = await start();
    await first.createTopic('killed');
    await append(first, 'killed', 'a');
    await append(first, 'killed', 'b');
    const disk = first.fileSystem;
    disk.crash({ kind: 'process' });
    first.broker.abandon();
    running.splice(0);
    const second = await start({ fileSystem: disk });
    expect(await readAll(second, 'killed')).toEqual(['a', 'b']);
    expect((await append(second, 'killed', 'c'))?.baseOffset).toBe(2);
  });

  it('sets aside a directory that no topic owns, and serves the rest', async () => {
    const first = await start();
    await first.createTopic('owned');
    await append(first, 'owned', 'a');
    await first.broker.stop();
    first.fileSystem.makeDirectory('/logs/stranger-0');
    const second = await start({ fileSystem: first.fileSystem });
    expect(await readAll(second, 'owned')).toEqual(['a']);
    expect(partitionOf(second, 'stranger')).toBeUndefined();
    const names = second.fileSystem.readDirectory('/logs').map(({ name }) => name);
    expect(names).not.toContain('stranger-0');
    expect(names.some((name) => name.startsWith('stranger-0.') && name.endsWith('-stray'))).toBe(true);
  });

  it('F12: refuses the directory of another node or cluster, and lets go of what it took', async () => {
    const first = await start({ settings: { 'cluster.id': '4L6g3nShT-eMCtK--X86sw' } });
    await first.broker.stop();
    const disk = first.fileSystem;
    await expect(startTestBroker({ fileSystem: disk, settings: { 'node.id': '9' } })).rejects.toMatchObject({
      code: 'LOG_DIRECTORY_FOREIGN',
    });
    await expect(
      startTestBroker({ fileSystem: disk, settings: { 'cluster.id': 'AAAAAAAAAAAAAAAAAAAABw' } }),
    ).rejects.toMatchObject({ code: 'LOG_DIRECTORY_FOREIGN' });
    const again = await start({ fileSystem: disk });
    expect(again.broker.services.metadata.clusterId).toBe('4L6g3nShT-eMCtK--X86sw');
  });

  it('F11: refuses a directory that is in use, and takes it when it is free', async () => {
    const first = await start();
    await expect(startTestBroker({ fileSystem: first.fileSystem })).rejects.toMatchObject({
      code: 'LOG_DIRECTORY_LOCKED',
    });
    await first.broker.stop();
    await start({ fileSystem: first.fileSystem });
  });

  it('lets go of its directory when a socket cannot be bound', async () => {
    const first = await start();
    const taken = first.broker.listeners[0]?.port ?? 0;
    const disk = new MemoryFileSystem();
    const settings = { listeners: `PLAINTEXT://127.0.0.1:${taken}` };
    await expect(startTestBroker({ fileSystem: disk, settings })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await start({ fileSystem: disk });
  });
});

describe('a broker whose disk fails', () => {
  it('F8: refuses appends to the partition that failed, serves its records and the others', async () => {
    const broker = await start();
    await broker.createTopic('failing');
    await broker.createTopic('healthy');
    await append(broker, 'failing', 'a');
    broker.fileSystem.fault = ({ name, path }) =>
      name === 'write' && path.includes('failing-0') ? { code: 'EIO' } : undefined;
    expect((await append(broker, 'failing', 'b'))?.errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    expect((await append(broker, 'failing', 'c'))?.errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    expect((await append(broker, 'healthy', 'd'))?.errorCode).toBe(ErrorCode.NONE);
    expect(await readAll(broker, 'failing')).toEqual(['a']);
    broker.fileSystem.fault = () => undefined;
  });

  it('F7: takes appends again once there is room', async () => {
    const broker = await start();
    await broker.createTopic('full');
    await append(broker, 'full', 'a');
    broker.fileSystem.fault = ({ name, path }) =>
      name === 'write' && path.includes('full-0') ? { code: 'ENOSPC' } : undefined;
    expect((await append(broker, 'full', 'b'))?.errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    broker.fileSystem.fault = () => undefined;
    expect(await append(broker, 'full', 'c')).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: 1 });
    expect(await readAll(broker, 'full')).toEqual(['a', 'c']);
  });
});

describe('changes of topics', () => {
  it('take effect at once: deletion ends what waits, and the name can be used again', async () => {
    const broker = await start();
    await broker.createTopic('again');
    await append(broker, 'again', 'old');
    const before = partitionOf(broker, 'again')?.topicId;
    const client = await broker.connect();
    await client.ask(apis.deleteTopics, 5, { topicNames: ['again'], timeoutMs: 5000 });
    expect(partitionOf(broker, 'again')).toBeUndefined();
    expect((await append(broker, 'again', 'x'))?.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    await broker.createTopic('again');
    expect(partitionOf(broker, 'again')?.topicId).not.toBe(before);
    expect((await append(broker, 'again', 'new'))?.baseOffset).toBe(0);
    expect(await readAll(broker, 'again')).toEqual(['new']);
  });
});

describe('a broker that stops', () => {
  it('answers the fetches that wait, closes its connections, and is done', async () => {
    const broker = await start();
    await broker.createTopic('stopping');
    const client = await broker.connect();
    const partitions = [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1000 }];
    const request = {
      maxWaitMs: 60_000,
      minBytes: 1,
      maxBytes: 1000,
      topics: [{ topic: 'stopping', partitions }],
    };
    const answer = client.ask(apis.fetch, 11, request);
    await until(() => partitionOf(broker, 'stopping')?.waitingReads.count === 1, 'the fetch waits');
    await broker.broker.stop();
    expect((await answer).responses[0]?.partitions[0]?.errorCode).toBe(0);
    await client.closed();
    expect(broker.logLines.map(({ msg }) => msg)).toContain('Broker stopped');
  });
});

describe('the HTTP port', () => {
  it('tells health, metrics and state', async () => {
    const broker = await start({ settings: { 'seatlog.http.listener': '127.0.0.1:0' } });
    await broker.createTopic('shown');
    await append(broker, 'shown', 'a');
    const { host, port } = broker.broker.http ?? { host: '', port: 0 };
    const get = (path: string, init?: RequestInit): Promise<Response> =>
      fetch(`http://${host}:${port}${path}`, init);

    const health = await get('/healthz');
    expect([health.status, await health.json()]).toEqual([200, { ready: true, state: 'running' }]);

    const metrics = await (await get('/metrics')).text();
    expect(metrics).toContain('kafka_topic_partition_current_offset{topic="shown",partition="0"} 1\n');
    expect(metrics).toMatch(/^kafka_server_brokertopicmetrics_messagesin_total 1$/m);
    expect(metrics).toMatch(/^kafka_controller_kafkacontroller_activecontrollercount 1$/m);

    const state = (await (await get('/state')).json()) as { broker: object; partitions: object[] };
    expect(state.broker).toMatchObject({ nodeId: 1, state: 'running', controllerId: 1 });
    expect(state.partitions).toContainEqual(
      expect.objectContaining({
        topic: 'shown',
        partition: 0,
        highWatermark: 1,
        logEndOffset: 1,
        leader: 1,
        isr: [1],
      }),
    );

    expect((await get('/nothing')).status).toBe(404);
    expect((await get('/state', { method: 'POST' })).status).toBe(405);
  });
});
