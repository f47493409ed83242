/** An acknowledgement gets lost, and its producer sends the batch again to whoever leads then (F29). */
import { createClient, type KafkaClient, type Producer, type ProducerOptions } from '@seatlog/kafka-client';
import { dumpLog, until } from '@seatlog/lab';
import { type ClusterNode, nodeEndpoint } from '@seatlog/local-stack';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ThreeNodes, WITHIN_MS } from './three-nodes.ts';

const PRODUCE = 0;
const PRODUCER = 'f29-producer';
const WARM_UP = 5;
/** Longer than three nodes take to be started again, one after another, on a busy machine. */
const OUTLASTS_RESTARTS_MS = 400_000;
const RESTARTS_DEADLINE_MS = 500_000;

let nodes: ThreeNodes;
let client: KafkaClient;

beforeAll(async () => {
  nodes = await ThreeNodes.start({ proxied: true });
  client = createClient({ brokers: nodes.cluster.bootstrap, clientId: PRODUCER, requestTimeoutMs: 3_000 });
});

afterAll(async () => {
  await client.close();
  await nodes[Symbol.asyncDispose]();
});

beforeEach(() => nodes.tellLastWords());

/** A topic with one partition, and a producer that has written to it. */
async function warmTopic(
  name: string,
  options: ProducerOptions = {},
  by = client,
): Promise<{ producer: Producer; leader: ClusterNode }> {
  const topic = { name, partitions: 1, replicationFactor: 3, configs: { 'min.insync.replicas': '2' } };
  await by.admin().createTopics([topic]);
  const producer = by.producer(options);
  for (let number = 0; number < WARM_UP; number += 1) {
    const { offset } = await producer.send({ topic: name, partition: 0, value: `record-${number}` });
    expect(offset).toBe(number);
  }
  return { producer, leader: await nodes.leaderOf(name, 0) };
}

/** What lies on the disk of a node: values by offset. */
function recordsOn(node: ClusterNode, topic: string): readonly string[] {
  return dumpLog(node.partitionFolder(topic, 0)).flatMap(({ records }) => records.map(({ value }) => value));
}

const expectedRecords = (count: number): string[] =>
  Array.from({ length: count }, (_, number) => `record-${number}`);

async function expectOnceEverywhere(topic: string, count: number): Promise<void> {
  await nodes.untilWhole(topic, 0);
  for (const node of nodes.cluster.nodes) {
    const isThere = (): true | null => (recordsOn(node, topic).length >= count ? true : null);
    await until(`all records on ${node.name}`, WITHIN_MS, isThere);
    expect(recordsOn(node, topic), node.name).toEqual(expectedRecords(count));
  }
}

describe('a retry after a lost acknowledgement', () => {
  it('F29: gets the original offset from the leader that took it', async () => {
    const { producer, leader } = await warmTopic('same-leader');
    const from = nodeEndpoint(leader.nodeId);
    const lost = nodes.cluster.faults.loseAnswer({ from, to: PRODUCER, apiKey: PRODUCE });
    const sending = producer.send({ topic: 'same-leader', partition: 0, value: `record-${WARM_UP}` });
    await lost;
    expect(await sending).toMatchObject({ offset: WARM_UP });
    const next = `record-${WARM_UP + 1}`;
    const sent = await producer.send({ topic: 'same-leader', partition: 0, value: next });
    expect(sent.offset).toBe(WARM_UP + 1);
    await producer.close();
    await expectOnceEverywhere('same-leader', WARM_UP + 2);
  });

  it('F29: is there twice without idempotence: the answer was lost indeed', async () => {
    const topic = 'not-idempotent';
    // None is sent again but the one whose answer gets lost.
    await using patient = createClient({ brokers: nodes.cluster.bootstrap, clientId: PRODUCER });
    const { producer, leader } = await warmTopic(topic, { enableIdempotence: false }, patient);
    const from = nodeEndpoint(leader.nodeId);
    const lost = nodes.cluster.faults.loseAnswer({ from, to: PRODUCER, apiKey: PRODUCE });
    const value = `record-${WARM_UP}`;
    const sending = producer.send({ topic, partition: 0, value });
    await lost;
    expect(await sending).toMatchObject({ offset: WARM_UP + 1 });
    await producer.close();
    expect(recordsOn(leader, topic)).toEqual([...expectedRecords(WARM_UP), value, value]);
  });

  it('F29: gets the original offset from the leader that follows, and the record is there once', async () => {
    const topic = 'next-leader';
    const { producer, leader } = await warmTopic(topic);
    const from = nodeEndpoint(leader.nodeId);
    const epoch = await nodes.epochOf(topic, 0);
    const { faults } = nodes.cluster;
    const lost = faults.loseAnswer({ from, to: PRODUCER, apiKey: PRODUCE });
    const sending = producer.send({ topic, partition: 0, value: `record-${WARM_UP}` });
    await lost;
    // Nothing of the retry reaches the leader that knows the answer.
    faults.cut(PRODUCER, from);
    await nodes.kill(leader);
    expect(await sending).toMatchObject({ offset: WARM_UP });
    expect((await nodes.leaderOf(topic, 0, epoch)).nodeId).not.toBe(leader.nodeId);
    const next = await producer.send({ topic, partition: 0, value: `record-${WARM_UP + 1}` });
    expect(next.offset).toBe(WARM_UP + 1);
    faults.heal();
    await leader.process.restart();
    await producer.close();
    await expectOnceEverywhere(topic, WARM_UP + 2);
  });

  it('F29: gets the original offset when all replicas were started again meanwhile', {
    timeout: RESTARTS_DEADLINE_MS,
  }, async () => {
    const topic = 'started-again';
    const { producer, leader } = await warmTopic(topic, { deliveryTimeoutMs: OUTLASTS_RESTARTS_MS });
    const from = nodeEndpoint(leader.nodeId);
    const { faults } = nodes.cluster;
    const lost = faults.loseAnswer({ from, to: PRODUCER, apiKey: PRODUCE });
    const sending = producer.send({ topic, partition: 0, value: `record-${WARM_UP}` });
    await lost;
    for (const node of nodes.cluster.nodes) faults.cut(PRODUCER, nodeEndpoint(node.nodeId));
    for (const node of nodes.cluster.nodes) {
      await node.process.restart();
      await nodes.untilWhole(topic, 0);
    }
    faults.heal();
    expect(await sending).toMatchObject({ offset: WARM_UP });
    await producer.close();
    await expectOnceEverywhere(topic, WARM_UP + 1);
  });
});
