/**
 * Produce with acks=1, requests pipelined, beside the floors of the same bytes: received, checksummed, written. All
 * four are separate processes on the other core, fed by the same client; the measure is CPU time per MiB of batches.
 */
import { apis, encodeRequest, ErrorCode, RecordBatchWriter } from '@seatlog/kafka-protocol';
import { type Child, startChild } from './child.ts';
import { cpuNanoseconds } from './process-cpu.ts';
import { RawClient } from './raw-client.ts';
import { createTopic, deleteTopic, endOffset, median, untilGone } from './set-up.ts';

export interface ProduceResult {
  readonly recordsPerBatch: number;
  readonly recordBytes: number;
  readonly recordsPerSecond: number;
  readonly brokerMicrosPerMib: number;
  readonly receiveMicrosPerMib: number;
  readonly crcMicrosPerMib: number;
  /** Receive, CRC and write together. */
  readonly floorMicrosPerMib: number;
  /** Median over the rounds of broker / floor. */
  readonly timesFloor: number;
}

export interface ProduceEffort {
  readonly rounds: number;
  readonly bytesPerMeasurement: number;
}

const RECORD_BYTES = 1024;
const PRODUCE_VERSION = 7;
/** Bytes of one write of the client, and how many of them are unanswered at most. */
const PIECE_BYTES = 64 * 1024;
const WINDOW_BYTES = 1024 * 1024;
const MIB = 1024 * 1024;

export async function compareProduce(
  broker: Child,
  directory: string,
  recordsPerBatch: number,
  effort: ProduceEffort,
): Promise<ProduceResult> {
  const rounds: { rate: number; broker: number; receive: number; crc: number; floor: number }[] = [];
  for (let round = 0; round <= effort.rounds; round += 1) {
    const measured = await measureRound(broker, directory, recordsPerBatch, effort.bytesPerMeasurement);
    // The first round warms up.
    if (round > 0) rounds.push(measured);
  }
  const of = (pick: (round: (typeof rounds)[number]) => number): number => median(rounds.map(pick));
  return {
    recordsPerBatch,
    recordBytes: RECORD_BYTES,
    recordsPerSecond: of(({ rate }) => rate),
    brokerMicrosPerMib: of((round) => round.broker),
    receiveMicrosPerMib: of(({ receive }) => receive),
    crcMicrosPerMib: of(({ crc }) => crc),
    floorMicrosPerMib: of(({ floor }) => floor),
    timesFloor: of((round) => round.broker / round.floor),
  };
}

async function measureRound(broker: Child, directory: string, recordsPerBatch: number, bytes: number) {
  const batch = makeBatch(recordsPerBatch);
  const measured = await measureBroker(broker, recordsPerBatch, batch, bytes);
  await untilGone(`${directory}/log`);
  const floor = async (mode: string): Promise<number> => {
    const path = `${directory}/floor.bin`;
    const piece = pieceOf(makeFrame('floor', batch));
    const count = Math.max(1, Math.floor(bytes / piece.length));
    const child = await startChild(
      [
        new URL('./bare-server.ts', import.meta.url).pathname,
        mode,
        String(batch.length),
        String(piece.length),
        path,
      ],
      ({ port }) => (typeof port === 'number' ? port : null),
    );
    const client = await RawClient.open(child.port);
    const window = Math.max(2, Math.floor(WINDOW_BYTES / piece.length));
    await client.pipeline([piece], [1], Math.ceil(count / 4), window);
    const before = cpuNanoseconds(child.processId);
    await client.pipeline([piece], [1], count, window);
    const used = cpuNanoseconds(child.processId) - before;
    client.close();
    await child.stop();
    return microsPerMib(used, count * piece.length);
  };
  return {
    ...measured,
    receive: await floor('receive'),
    crc: await floor('crc'),
    floor: await floor('write'),
  };
}

async function measureBroker(broker: Child, recordsPerBatch: number, batch: Uint8Array, bytes: number) {
  const topic = await createTopic(broker.port);
  const frame = makeFrame(topic, batch);
  const piece = pieceOf(frame);
  const framesPerPiece = piece.length / frame.length;
  const count = Math.max(1, Math.floor(bytes / piece.length));
  const client = await RawClient.open(broker.port);
  const answerBytes = framesPerPiece * (await answerSize(client, topic, batch));
  const window = Math.max(2, Math.floor(WINDOW_BYTES / piece.length));
  await client.pipeline([piece], [answerBytes], Math.ceil(count / 4), window);
  const before = cpuNanoseconds(broker.processId);
  const start = performance.now();
  await client.pipeline([piece], [answerBytes], count, window);
  const seconds = (performance.now() - start) / 1000;
  const used = cpuNanoseconds(broker.processId) - before;
  client.close();
  const appended = await endOffset(broker.port, topic);
  const expected = recordsPerBatch * (1 + framesPerPiece * (count + Math.ceil(count / 4)));
  if (appended !== expected)
    throw new Error(`${appended} records are in the log where ${expected} were sent`);
  await deleteTopic(broker.port, topic);
  return {
    rate: (count * framesPerPiece * recordsPerBatch) / seconds,
    broker: microsPerMib(used, count * framesPerPiece * batch.length),
  };
}

/** Asks once, to see that the batch is taken and how long answers are. */
export async function answerSize(
  client: RawClient,
  topic: string,
  batch: Uint8Array,
  acks = 1,
): Promise<number> {
  const body = produceBody(topic, batch, acks);
  const response = await client.ask(apis.produce, PRODUCE_VERSION, body);
  const errorCode = response.responses[0]?.partitionResponses[0]?.errorCode;
  if (errorCode !== ErrorCode.NONE) throw new Error(`the batch was refused with error ${errorCode}`);
  const nameBytes = Buffer.byteLength(topic);
  // Size, correlation id; topic array, name; partition array; index, error, base offset, append time, log start; throttle.
  return 4 + 4 + 4 + 2 + nameBytes + 4 + 4 + 2 + 8 + 8 + 8 + 4;
}

function produceBody(topic: string, records: Uint8Array, acks = 1) {
  return { acks, timeoutMs: 30_000, topicData: [{ name: topic, partitionData: [{ index: 0, records }] }] };
}

export function makeFrame(topic: string, batch: Uint8Array, acks = 1): Uint8Array {
  return Buffer.concat(
    encodeRequest(apis.produce, PRODUCE_VERSION, 7, 'benchmark', produceBody(topic, batch, acks)),
  );
}

export function pieceOf(frame: Uint8Array): Uint8Array {
  return Buffer.concat(
    Array.from({ length: Math.max(1, Math.floor(PIECE_BYTES / frame.length)) }, () => frame),
  );
}

/** Records whose framing and value make `recordBytes` each. */
export function makeBatch(
  recordsPerBatch: number,
  timestamp = Date.now(),
  recordBytes = RECORD_BYTES,
): Uint8Array {
  const writer = new RecordBatchWriter({ maxBytes: 4 * MIB });
  const value = Buffer.alloc(recordBytes - 9, 'seat');
  for (let index = 0; index < recordsPerBatch; index += 1) writer.append(timestamp, null, value);
  return writer.seal({});
}

function microsPerMib(nanoseconds: number, bytes: number): number {
  return nanoseconds / 1000 / (bytes / MIB);
}
