/** The raw client's produce load for a footprint: to the broker, and the same bytes to the bare server. */
import { apis, ErrorCode } from '@seatlog/kafka-protocol';
import { type Child, startChild } from '../broker/child.ts';
import { answerSize, makeBatch, makeFrame, pieceOf } from '../broker/produce-comparison.ts';
import { RawClient } from '../broker/raw-client.ts';
import { createTopic, endOffset } from '../broker/set-up.ts';

export const RECORDS_PER_BATCH = 16;
/** Pieces of 64 KiB that are unanswered at most. */
const WINDOW = 16;
/** Parts of the load with a timestamp of their own. */
const SLICES = 100;
const PRODUCE_VERSION = 7;
const BARE_SERVER = new URL('../broker/bare-server.ts', import.meta.url).pathname;

/**
 * Writes about that many bytes of batches to one partition, acks=1, and checks that they are in the log. Timestamps rise
 * from slice to slice, as they do with clients: where they stand still, a start looks through all that has the last one.
 */
export async function loadBroker(port: number, bytes: number): Promise<string> {
  const topic = await createTopic(port);
  const client = await RawClient.open(port);
  const answer = await answerSize(client, topic, makeBatch(RECORDS_PER_BATCH));
  const first = Date.now();
  let batches = 1;
  for (let slice = 0; slice < SLICES; slice += 1) {
    const frame = makeFrame(topic, makeBatch(RECORDS_PER_BATCH, first + slice));
    const piece = pieceOf(frame);
    const framesPerPiece = piece.length / frame.length;
    const count = Math.floor(bytes / SLICES / piece.length);
    await client.pipeline([piece], [framesPerPiece * answer], count, WINDOW);
    batches += count * framesPerPiece;
  }
  client.close();
  const appended = await endOffset(port, topic);
  const expected = batches * RECORDS_PER_BATCH;
  if (appended !== expected) throw new Error(`${appended} records are in the log, not ${expected}`);
  return topic;
}

/** Receives, checks and writes what `loadBareServer` sends, and that is all. */
export function startBareServer(directory: string): Promise<Child> {
  const batch = makeBatch(RECORDS_PER_BATCH);
  const piece = pieceOf(makeFrame('floor', batch));
  const sizes = [batch.length, piece.length].map(String);
  return startChild([BARE_SERVER, 'write', ...sizes, `${directory}/floor.bin`], ({ port }) =>
    typeof port === 'number' ? port : null,
  );
}

export async function loadBareServer(port: number, bytes: number): Promise<void> {
  const piece = pieceOf(makeFrame('floor', makeBatch(RECORDS_PER_BATCH)));
  const client = await RawClient.open(port);
  await client.pipeline([piece], [1], Math.floor(bytes / piece.length), WINDOW);
  client.close();
}

/** One topic of so many partitions, with a batch in each, so that each has files with something in them. */
export async function makePartitions(port: number, count: number): Promise<void> {
  const topic = await createTopic(port, count);
  const records = makeBatch(1);
  const partitionData = Array.from({ length: count }, (_, index) => ({ index, records }));
  const client = await RawClient.open(port);
  const body = { acks: 1, timeoutMs: 30_000, topicData: [{ name: topic, partitionData }] };
  const response = await client.ask(apis.produce, PRODUCE_VERSION, body);
  client.close();
  const answers = response.responses[0]?.partitionResponses ?? [];
  const taken = answers.filter(({ errorCode }) => errorCode === ErrorCode.NONE);
  if (taken.length !== count) throw new Error(`${taken.length} of ${count} partitions took a batch`);
}
