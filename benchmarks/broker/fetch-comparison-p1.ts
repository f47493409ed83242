/**
 * Hot fetch: a consumer that keeps up, served from memory, beside a process that answers requests of the same size
 * with as many bytes from one buffer.
 */
import {
  apis,
  batchLastOffset,
  batchSizeInBytes,
  encodeRequest,
  RecordBatchWriter,
} from '@seatlog/kafka-protocol';
import { type Child, startChild } from './child.ts';
import { cpuNanoseconds } from './process-cpu.ts';
import { RawClient } from './raw-client.ts';
import { createTopic, median } from './set-up.ts';

export interface FetchResult {
  readonly fetchBytes: number;
  readonly brokerMibPerSecond: number;
  readonly bareMibPerSecond: number;
  readonly brokerMicrosPerMib: number;
  readonly bareMicrosPerMib: number;
  /** Medians over the rounds of broker / bare. */
  readonly shareOfThroughput: number;
  readonly shareOfCpu: number;
}

const MIB = 1024 * 1024;
const HOT_BYTES = 16 * MIB;
const RECORDS_PER_BATCH = 16;
const FETCH_VERSION = 11;
const FETCHES_IN_FLIGHT = 4;

export async function compareFetch(
  broker: Child,
  rounds: number,
  bytesPerMeasurement: number,
): Promise<FetchResult> {
  const { requests, answerBytes } = await prepare(broker.port);
  const cycleBytes = answerBytes.reduce((sum, bytes) => sum + bytes, 0);
  const typicalAnswer = answerBytes[0] ?? MIB;
  const requestBytes = requests[0]?.length ?? 0;
  const measured: { broker: Measure; bare: Measure }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const count = Math.ceil(bytesPerMeasurement / typicalAnswer);
    const fromBroker = await measure(broker, requests, answerBytes, count, cycleBytes / answerBytes.length);
    const bare = await startChild(
      [
        new URL('./bare-server.ts', import.meta.url).pathname,
        'send',
        String(requestBytes),
        String(typicalAnswer),
      ],
      ({ port }) => (typeof port === 'number' ? port : null),
    );
    const fromBare = await measure(bare, requests, [typicalAnswer], count, typicalAnswer);
    await bare.stop();
    if (round > 0) measured.push({ broker: fromBroker, bare: fromBare });
  }
  const of = (pick: (round: { broker: Measure; bare: Measure }) => number): number =>
    median(measured.map(pick));
  return {
    fetchBytes: typicalAnswer,
    brokerMibPerSecond: of(({ broker: { mibPerSecond } }) => mibPerSecond),
    bareMibPerSecond: of(({ bare: { mibPerSecond } }) => mibPerSecond),
    brokerMicrosPerMib: of(({ broker: { microsPerMib } }) => microsPerMib),
    bareMicrosPerMib: of(({ bare: { microsPerMib } }) => microsPerMib),
    shareOfThroughput: of((round) => round.broker.mibPerSecond / round.bare.mibPerSecond),
    shareOfCpu: of((round) => round.bare.microsPerMib / round.broker.microsPerMib),
  };
}

interface Measure {
  readonly mibPerSecond: number;
  readonly microsPerMib: number;
}

export async function measure(
  child: Child,
  requests: readonly Uint8Array[],
  answerBytes: readonly number[],
  count: number,
  meanAnswerBytes: number,
): Promise<Measure> {
  const client = await RawClient.open(child.port);
  await client.pipeline(requests, answerBytes, requests.length * 2, FETCHES_IN_FLIGHT);
  const before = cpuNanoseconds(child.processId);
  const start = performance.now();
  await client.pipeline(requests, answerBytes, count, FETCHES_IN_FLIGHT);
  const seconds = (performance.now() - start) / 1000;
  const used = cpuNanoseconds(child.processId) - before;
  client.close();
  const mebibytes = (count * meanAnswerBytes) / MIB;
  return { mibPerSecond: mebibytes / seconds, microsPerMib: used / 1000 / mebibytes };
}

/** Fills a topic, and walks over it once to learn the requests that read it and the sizes of their answers. */
export async function prepare(port: number): Promise<{ requests: Uint8Array[]; answerBytes: number[] }> {
  const topic = await createTopic(port);
  const client = await RawClient.open(port);
  const writer = new RecordBatchWriter({ maxBytes: MIB });
  for (let index = 0; index < RECORDS_PER_BATCH; index += 1) {
    writer.append(Date.now(), null, Buffer.alloc(1015, 'seat'));
  }
  const records = writer.seal({});
  for (let filled = 0; filled < HOT_BYTES; filled += records.length) {
    const topicData = [{ name: topic, partitionData: [{ index: 0, records }] }];
    await client.ask(apis.produce, 7, { acks: 1, timeoutMs: 30_000, topicData });
  }
  const requests: Uint8Array[] = [];
  const answerBytes: number[] = [];
  let offset = 0;
  for (;;) {
    const partitions = [{ partition: 0, fetchOffset: offset, partitionMaxBytes: MIB }];
    const body = { maxWaitMs: 0, minBytes: 1, maxBytes: 50 * MIB, topics: [{ topic, partitions }] };
    const response = await client.ask(apis.fetch, FETCH_VERSION, body);
    const bytes = response.responses[0]?.partitions[0]?.records;
    if (!bytes || bytes.length === 0) break;
    requests.push(Buffer.concat(encodeRequest(apis.fetch, FETCH_VERSION, 1, 'benchmark', body)));
    answerBytes.push(bytes.length + headBytes(topic));
    for (let at = 0; at < bytes.length; at += batchSizeInBytes(bytes, at))
      offset = batchLastOffset(bytes, at) + 1;
  }
  client.close();
  // The last answer may be short; those before it are alike.
  return { requests: requests.slice(0, -1), answerBytes: answerBytes.slice(0, -1) };
}

/** What stands around the records in a Fetch answer of version 11 with one partition. */
function headBytes(topic: string): number {
  const head = 4 + 4 + 4 + 2 + 4;
  const topicPart = 4 + 2 + Buffer.byteLength(topic) + 4;
  const partitionPart = 4 + 2 + 8 + 8 + 8 + 4 + 4 + 4;
  return head + topicPart + partitionPart;
}
