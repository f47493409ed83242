/** Clients that other people wrote go on when the leader that they write to is killed: nothing acknowledged is lost or doubled. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { checkHistory, HistoryRecorder } from '@seatlog/history';
import { createClient, type KafkaClient } from '@seatlog/kafka-client';
import { until } from '@seatlog/lab';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ThreeNodes, WITHIN_MS } from '../cluster/three-nodes.ts';
import type { WriterLine } from './writer-script.ts';

const PARTITIONS = 3;
const ACKED_BEFORE = 30;
const ACKED_AFTER = 60;

let nodes: ThreeNodes;
let client: KafkaClient;

beforeAll(async () => {
  nodes = await ThreeNodes.start();
  client = createClient({ brokers: nodes.cluster.bootstrap, clientId: 'failover-test' });
});

afterAll(async () => {
  await client?.close();
  await nodes?.[Symbol.asyncDispose]();
});

/** A writer as a process; what it was told goes into the history. */
class Writer {
  acked = 0;
  readonly #name: string;
  readonly #topic: string;
  readonly #recorder: HistoryRecorder;
  readonly #process: ChildProcess;

  constructor(name: string, topic: string, recorder: HistoryRecorder) {
    this.#name = name;
    this.#topic = topic;
    this.#recorder = recorder;
    const script = new URL(`./clients/${name}-writer.ts`, import.meta.url).pathname;
    const orders = JSON.stringify({ brokers: nodes.cluster.bootstrap, topic });
    const child = spawn(process.execPath, [script, orders], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#process = child;
    onTestFinished(() => void child.kill('SIGKILL'));
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line));
  }

  async stop(): Promise<void> {
    const closed = once(this.#process, 'close');
    this.#process.kill('SIGTERM');
    await closed;
  }

  #take(text: string): void {
    // Clients print warnings of their own now and then.
    if (!text.startsWith('{"kind"')) return;
    const line = JSON.parse(text) as WriterLine;
    const partition = `${this.#topic}-${line.kind === 'acked' ? line.partition : 'unknown'}`;
    const send = { kind: 'send', partition, value: line.value, offset: null } as const;
    const sending = this.#recorder.begin(this.#name, [send]);
    if (line.kind === 'given up') return sending.unknown();
    this.acked += 1;
    sending.succeeded([line.offset]);
  }
}

/** All that a consumer reads now. */
async function readAll(topic: string, recorder: HistoryRecorder): Promise<void> {
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) => ({ topic, partition }));
  const ends = await client.admin().listOffsets(partitions, 'latest');
  const open = new Map(ends.flatMap(({ partition, offset }) => (offset ? [[partition, offset]] : [])));
  const consumer = client.consumer();
  consumer.assign([...open.keys()].map((partition) => ({ topic, partition, offset: 0 })));
  for await (const batch of consumer.batches({ signal: AbortSignal.timeout(WITHIN_MS) })) {
    const records = batch.records.map(
      ({ offset, valueBytes }) => [offset, Number(Buffer.from(valueBytes ?? []).toString())] as const,
    );
    recorder.polled('reader', `${topic}-${batch.partition}`, records);
    if (batch.nextOffset >= (open.get(batch.partition) ?? 0)) open.delete(batch.partition);
    if (open.size === 0) break;
  }
  expect([...open]).toEqual([]);
  await consumer.close();
}

describe.each(['kafkajs', 'platformatic'])('%s', (name) => {
  it('F20: writes on when a leader is killed, and each record that it was told of is there once', async () => {
    const topic = `failover-${name}`;
    await client.admin().createTopics([{ name: topic, partitions: PARTITIONS }]);
    const recorder = new HistoryRecorder();
    const writer = new Writer(name, topic, recorder);
    const untilAcked = (count: number) =>
      until(`${count} records acknowledged to ${name}`, WITHIN_MS, () => writer.acked >= count || null);

    await untilAcked(ACKED_BEFORE);
    const leader = await nodes.leaderOf(topic, 0);
    await nodes.kill(leader);
    await untilAcked(writer.acked + ACKED_AFTER);
    await leader.process.restart();
    await writer.stop();

    for (let partition = 0; partition < PARTITIONS; partition += 1) await nodes.untilWhole(topic, partition);
    await readAll(topic, recorder);
    expect(checkHistory(recorder.history)).toEqual([]);
  });
});
