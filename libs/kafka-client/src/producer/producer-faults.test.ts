import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClient } from '../client.ts';
import { KafkaClientError } from '../errors.ts';
import { apis, ErrorCode, type RequestOf, type ResponseInput } from '@seatlog/kafka-protocol';
import { ScriptedCluster, type Fate, type SeenRequest } from '../testing/scripted-cluster.ts';
import { VirtualWorld } from '../testing/virtual-world.ts';
import type { ProducerOptions } from './types.ts';

interface Told {
  readonly value: string;
  readonly partition: number;
  readonly result: { readonly offset: number } | KafkaClientError;
}

const PARTITIONS = 3;
const BURSTS = 20;

const LOST: readonly Fate[] = ['close before', 'close after', 'swallow', 'swallow the answer'];
const REFUSALS = [
  ErrorCode.NOT_ENOUGH_REPLICAS,
  ErrorCode.LEADER_NOT_AVAILABLE,
  ErrorCode.TOPIC_AUTHORIZATION_FAILED,
];
const AFTERTHOUGHTS = [
  ErrorCode.REQUEST_TIMED_OUT,
  ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
  ErrorCode.NOT_LEADER_OR_FOLLOWER,
  ErrorCode.UNKNOWN_SERVER_ERROR,
];

function answerWith(request: SeenRequest, errorCode: number): ResponseInput<typeof apis.produce> {
  const { topicData } = request.body as RequestOf<typeof apis.produce>;
  return {
    responses: topicData.map(({ name, partitionData }) => ({
      name,
      partitionResponses: partitionData.map(({ index }) => ({ index, errorCode, baseOffset: -1 })),
    })),
  };
}

/** Refused before the append, or appended and answered as if that were in doubt, or lost on the way in or out. */
function badFate(request: SeenRequest, pick: <T>(from: readonly T[]) => T): Fate {
  if (request.api.key !== apis.produce.key) return pick(LOST);
  const refuse = pick(REFUSALS);
  const doubt = pick(AFTERTHOUGHTS);
  return pick<Fate>([
    pick(LOST),
    { answer: answerWith(request, refuse) },
    { garble: () => answerWith(request, doubt) },
  ]);
}

/** Sends numbered records in bursts while chance tampers with requests and moves leaders; tells what each sender was told. */
async function sendThroughFaults(
  seed: number,
  faultRate: number,
  options: ProducerOptions,
): Promise<{ cluster: ScriptedCluster; told: Told[] }> {
  const world = new VirtualWorld(seed);
  const cluster = new ScriptedCluster(world, 3);
  cluster.latencyMs = 12;
  cluster.createTopic('t', PARTITIONS);
  const ports = { clock: world, timers: world, turns: world, random: world, connector: cluster.connector };
  const client = createClient({
    brokers: 'bootstrap:9092',
    ports,
    requestTimeoutMs: 400,
    connectTimeoutMs: 300,
  });
  const producer = client.producer({ batchSize: 1, deliveryTimeoutMs: 20_000, ...options });
  const pick = <T>(from: readonly T[]): T => from[Math.floor(world.fraction() * from.length)] as T;
  let calm = false;
  cluster.fate = (request) => (calm || world.fraction() >= faultRate ? 'serve' : badFate(request, pick));
  const told: Told[] = [];
  const sends: Promise<void>[] = [];
  for (let burst = 0; burst < BURSTS; burst++) {
    for (let i = 0; i < 6; i++) {
      const value = `${String(burst).padStart(2, '0')}-${i}`;
      const partition = i % PARTITIONS;
      const settle = (result: Told['result']): void => void told.push({ value, partition, result });
      sends.push(producer.send({ topic: 't', partition, value }).then(settle, settle));
    }
    await world.pass(Math.floor(world.fraction() * 40));
    if (world.fraction() < faultRate / 2) {
      cluster.partition('t', Math.floor(world.fraction() * PARTITIONS)).moveTo(pick([1, 2, 3]));
    }
  }
  await world.pass(3000);
  calm = true;
  await world.until(Promise.all(sends));
  await world.until(client.close());
  return { cluster, told };
}

/** What contradicts what the senders were told, or the order in which they sent. */
function contradictions(cluster: ScriptedCluster, told: readonly Told[]): string[] {
  const found: string[] = [];
  const logs = Array.from({ length: PARTITIONS }, (_, partition) => cluster.partition('t', partition).values);
  logs.forEach((values, partition) => {
    if (new Set(values).size < values.length)
      found.push(`partition ${partition} has doubles: ${values.join(' ')}`);
    if (values.join() !== values.toSorted().join())
      found.push(`partition ${partition} is out of order: ${values.join(' ')}`);
  });
  for (const { value, partition, result } of told) {
    const values = logs[partition] ?? [];
    if (result instanceof KafkaClientError) {
      if (result.outcome === undefined) found.push(`${value}: no outcome in ${result.code}`);
      if (result.outcome === 'not-written' && values.includes(value))
        found.push(`${value} was written: ${result.message}`);
    } else if (result.offset < 0 ? !values.includes(value) : values[result.offset] !== value) {
      found.push(`${value} is not at ${result.offset}`);
    }
  }
  return found;
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 });

describe('producer under faults', () => {
  it('K15 F29: writes each record once and in order, whatever is lost or moved, and tells the offset where it lies', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.constantFrom(0.1, 0.3, 0.5), async (seed, rate) => {
        const { cluster, told } = await sendThroughFaults(seed, rate, {});
        expect(told.length).toBe(BURSTS * 6);
        expect(contradictions(cluster, told)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('T2: a record told to be not written is not in the log, also when deliveries time out', async () => {
    let failures = 0;
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const { cluster, told } = await sendThroughFaults(seed, 0.7, { deliveryTimeoutMs: 500 });
        failures += told.filter(({ result }) => result instanceof KafkaClientError).length;
        expect(contradictions(cluster, told)).toEqual([]);
      }),
      { numRuns: 60 },
    );
    expect(failures).toBeGreaterThan(0);
  });

  it('control: without idempotence the same faults do double records', async () => {
    let doubled = 0;
    for (let seed = 1; seed <= 10; seed++) {
      const { cluster, told } = await sendThroughFaults(seed, 0.4, { enableIdempotence: false });
      doubled += contradictions(cluster, told).filter((text) => text.includes('doubles')).length;
    }
    expect(doubled).toBeGreaterThan(0);
  });
});
