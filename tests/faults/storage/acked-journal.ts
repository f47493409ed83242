/**
 * Records written with acks=all, and what became of each. A record that was acknowledged is to be read back once, at its
 * offset; one that was refused, or not answered, at most once. Offsets of a log have no gap and no overlap.
 */
import {
  createClient,
  type KafkaClient,
  KafkaClientError,
  type ProducerOptions,
} from '@seatlog/kafka-client';

/** Shorter than a test may take: a refusal is told before the test gives up. */
const DELIVERY_TIMEOUT_MS = 60_000;
export const READ_DEADLINE_MS = 60_000;
/** For a write that is to be refused: it is not sent over and over until its time is up. */
export const TRIED_TWICE = { retries: 1 } as const;
const FILLER_BYTES = 1000;
/** Between the timestamps of neighbouring records. */
const RECORD_MS = 1000;
const EARLIER_MS = 3_600_000;

export interface StoredRecord {
  readonly offset: number;
  /** Of what was written, or what is there instead. */
  readonly name: string;
}

export interface WriteOptions extends ProducerOptions {
  readonly fillerBytes?: number;
  /** Writes no further record once this holds. */
  readonly enough?: () => boolean;
}

export class AckedJournal {
  readonly topic: string;
  readonly partition: number;
  #client: KafkaClient;
  readonly #acked = new Map<string, number>();
  readonly #failures: KafkaClientError[] = [];
  readonly #began = Date.now() - EARLIER_MS;
  #sent = 0;

  constructor(client: KafkaClient, topic: string, partition = 0) {
    this.#client = client;
    this.topic = topic;
    this.partition = partition;
  }

  get acked(): readonly StoredRecord[] {
    return [...this.#acked].map(([name, offset]) => ({ name, offset })).sort((a, b) => a.offset - b.offset);
  }

  /** The broker's codes for what was not written, in the order they came. */
  get refusals(): readonly string[] {
    return this.#failures.map(codeOf);
  }

  /** Of the record that was sent in this place. */
  timestampOf(place: number): number {
    return this.#began + place * RECORD_MS;
  }

  /** One batch for each record: the next is sent once this one was answered. False at the first that fails. */
  async write(count: number, options: WriteOptions = {}): Promise<boolean> {
    const { fillerBytes = FILLER_BYTES, enough = () => false, ...producing } = options;
    const producer = this.#client.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS, ...producing });
    const { topic, partition } = this;
    try {
      for (let index = 0; index < count && !enough(); index += 1) {
        const name = `${topic}-${partition} ${this.#sent}`;
        const value = `${name} ${'x'.repeat(fillerBytes)}`;
        const timestamp = this.timestampOf(this.#sent);
        this.#sent += 1;
        try {
          const { offset } = await producer.send({ topic, partition, value, timestamp });
          this.#acked.set(name, offset);
        } catch (error) {
          if (!(error instanceof KafkaClientError)) throw error;
          this.#failures.push(error);
          return false;
        }
      }
      return true;
    } finally {
      await producer.close({ timeoutMs: 0 });
    }
  }

  /** From now on; the records are those of before. */
  goOnWith(client: KafkaClient): void {
    this.#client = client;
  }

  /** What is wrong with what is read back now, one line each. */
  async complaints(): Promise<readonly string[]> {
    return complaintsAbout(await readAll(this.#client, this), this.acked, this.#sent);
  }
}

function complaintsAbout(
  stored: readonly StoredRecord[],
  acked: readonly StoredRecord[],
  sent: number,
): readonly string[] {
  const complaints: string[] = [];
  const offsets = new Map<string, number>();
  for (const [place, { offset, name }] of stored.entries()) {
    if (offset !== place) complaints.push(`offset ${offset} is read in place ${place}`);
    if (offsets.has(name)) complaints.push(`${name} is there twice`);
    offsets.set(name, offset);
  }
  for (const { name, offset } of acked) {
    const found = offsets.get(name);
    if (found !== offset) complaints.push(`${name}, acked at ${offset}, is at ${found ?? 'no offset'}`);
  }
  if (stored.length > sent) complaints.push(`${stored.length} are there, ${sent} were sent`);
  return complaints;
}

/** Where one reads, and from which offset on. */
export interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly from?: number;
}

/** All there is, up to the end that the broker names. What does not come in time is not in the answer. */
export async function readAll(client: KafkaClient, place: Place): Promise<readonly StoredRecord[]> {
  const { topic, partition, from = 0 } = place;
  const [end] = await client.admin().listOffsets([{ topic, partition }], 'latest');
  return readUpTo(client, place, (records) => from + records.length >= (end?.offset ?? 0), READ_DEADLINE_MS);
}

export async function readUpTo(
  client: KafkaClient,
  { topic, partition, from = 0 }: Place,
  enough: (records: readonly StoredRecord[]) => boolean,
  giveUp: number | AbortSignal,
): Promise<readonly StoredRecord[]> {
  const records: StoredRecord[] = [];
  if (enough(records)) return records;
  const consumer = client.consumer();
  consumer.assign([{ topic, partition, offset: from }]);
  const signal = typeof giveUp === 'number' ? AbortSignal.timeout(giveUp) : giveUp;
  try {
    for await (const batch of consumer.batches({ signal })) {
      for (const { offset, valueBytes } of batch.records)
        records.push({ offset, name: nameOf(Buffer.from(valueBytes ?? []).toString()) });
      if (enough(records)) break;
    }
  } finally {
    await consumer.close();
  }
  return records;
}

export function clientOf(brokers: string): KafkaClient {
  return createClient({ brokers, clientId: 'storage-faults', requestTimeoutMs: 10_000 });
}

function nameOf(value: string): string {
  const written = /^(.+ \d+) x+$/.exec(value);
  return written?.[1] ?? `damaged: ${value}`;
}

/** A producer tries again until its time is up: why it had to, is the cause. */
function codeOf({ code, cause }: KafkaClientError): string {
  return code === 'DELIVERY_TIMEOUT' && cause instanceof KafkaClientError ? cause.code : code;
}
