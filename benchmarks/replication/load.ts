/** Producing to one partition as fast as it is answered, and one record at a time. */
import { apis } from '@seatlog/kafka-protocol';
import { answerSize, makeBatch, makeFrame } from '../broker/produce-comparison.ts';
import { RawClient } from '../broker/raw-client.ts';
import type { ThreeNodes, TopicUnderTest } from './three-nodes.ts';

export type Acks = 0 | 1 | -1;

export interface LoadResult {
  readonly recordsPerSecond: number;
  readonly mebibytesPerSecond: number;
  /** Of a request among `IN_FLIGHT`; null where none is answered. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** Of all brokers, until every replica has it. */
  readonly cpuMicrosPerMib: number;
}

export interface LoadLimits {
  readonly seconds: number;
  readonly mebibytes: number;
}

const MIB = 1024 * 1024;
const BATCH_BYTES = 16 * 1024;
const IN_FLIGHT = 16;
/** Requests between two looks at the clock. */
const STRETCH = 64;
const IDLE_REQUESTS = 400;
const WARM_UP_REQUESTS = 200;

export async function produce(
  nodes: ThreeNodes,
  topic: TopicUnderTest,
  acks: Acks,
  recordBytes: number,
  limits: LoadLimits,
): Promise<LoadResult> {
  const records = Math.max(1, Math.floor(BATCH_BYTES / recordBytes));
  const batch = makeBatch(records, Date.now(), recordBytes);
  const client = await RawClient.open(nodes.leaderPort);
  // The first of a topic waits for its followers to hear of it.
  const answerBytes = await answerSize(client, topic.name, batch, -1);
  const { piece, perPiece } = pieceFor(topic.name, batch, acks);
  const latencies: number[] = [];
  const onAnswer = acks === 0 ? undefined : (ms: number): void => void latencies.push(ms);
  const stretch = Math.max(1, STRETCH / perPiece);
  const window = Math.max(1, IN_FLIGHT / perPiece);
  await client.pipeline([piece], [answerBytes], stretch, window);
  const begun = await nodes.endOffset(topic);
  const cpuBefore = nodes.cpu();
  const start = performance.now();
  let pieces = 0;
  const over = (): boolean =>
    performance.now() - start > limits.seconds * 1000 ||
    pieces * perPiece * batch.length >= limits.mebibytes * MIB;
  do {
    await client.pipeline([piece], [answerBytes], stretch, window, onAnswer);
    pieces += stretch;
  } while (!over());
  const seconds = (performance.now() - start) / 1000;
  const written = (await nodes.endOffset(topic)) - begun;
  const cpu = nodes.cpu() - cpuBefore;
  client.close();
  const expected = pieces * perPiece * records;
  if (written !== expected) throw new Error(`${written} records are there where ${expected} were sent`);
  const mebibytes = (pieces * perPiece * batch.length) / MIB;
  return {
    recordsPerSecond: expected / seconds,
    mebibytesPerSecond: mebibytes / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    cpuMicrosPerMib: cpu / 1000 / mebibytes,
  };
}

/** With acks=0 nothing is answered: the last of as many requests as may be in flight asks for it, and answers for all. */
function pieceFor(topic: string, batch: Uint8Array, acks: Acks): { piece: Uint8Array; perPiece: number } {
  if (acks !== 0) return { piece: makeFrame(topic, batch, acks), perPiece: 1 };
  const silent = makeFrame(topic, batch, 0);
  const frames = Array.from({ length: IN_FLIGHT }, (_, index) =>
    index === IN_FLIGHT - 1 ? makeFrame(topic, batch, 1) : silent,
  );
  return { piece: Buffer.concat(frames), perPiece: IN_FLIGHT };
}

/** The median of single records, one after another, on a cluster that does nothing else. */
export async function idleLatency(
  nodes: ThreeNodes,
  topic: TopicUnderTest,
  acks: Acks,
  recordBytes: number,
): Promise<number> {
  const batch = makeBatch(1, Date.now(), recordBytes);
  const client = await RawClient.open(nodes.leaderPort);
  const answerBytes = await answerSize(client, topic.name, batch, acks);
  const frame = makeFrame(topic.name, batch, acks);
  await client.pipeline([frame], [answerBytes], WARM_UP_REQUESTS, 1);
  const latencies: number[] = [];
  await client.pipeline([frame], [answerBytes], IDLE_REQUESTS, 1, (ms) => latencies.push(ms));
  client.close();
  return percentile(latencies, 0.5) ?? Number.NaN;
}

/** The same of a request that asks for nothing. */
export async function roundTrip(nodes: ThreeNodes): Promise<number> {
  const client = await RawClient.open(nodes.leaderPort);
  const latencies: number[] = [];
  for (let count = 0; count < WARM_UP_REQUESTS + IDLE_REQUESTS; count += 1) {
    const start = performance.now();
    await client.ask(apis.listGroups, 0, {});
    if (count >= WARM_UP_REQUESTS) latencies.push(performance.now() - start);
  }
  client.close();
  return percentile(latencies, 0.5) ?? Number.NaN;
}

function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}
