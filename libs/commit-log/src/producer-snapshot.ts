import { ByteReader, ByteWriter, crc32c, ProtocolError } from '@seatlog/kafka-protocol';
import {
  BATCHES_PER_PRODUCER,
  type ProducerBatchState,
  type ProducerStateEntry,
} from './producer-state-entry.ts';

/**
 * Producer state in Kafka's snapshot format, version 1:
 *
 *     version int16, crc uint32 (CRC-32C of all that follows), count int32, then per entry
 *     producerId int64, epoch int16, lastSequence int32, lastOffset int64, offsetDelta int32, timestamp int64,
 *     coordinatorEpoch int32, currentTransactionFirstOffset int64
 *
 * Kafka keeps only the last batch of a producer here. We write an entry for each remembered batch, oldest first: for
 * Kafka the last entry of a producer counts, and we know a retry of any of the last five after a restart, too.
 */
const VERSION = 1;
const HEADER_BYTES = 6;
const ENTRY_BYTES = 46;
const NO_BATCH: ProducerBatchState = { lastSequence: -1, lastOffset: -1, offsetDelta: 0, timestamp: -1 };

export function encodeProducerSnapshot(entries: Iterable<ProducerStateEntry>): Uint8Array {
  const body = new ByteWriter();
  let count = 0;
  body.int32(0);
  for (const entry of entries) {
    const batches =
      entry.batches.length > 0 ? entry.batches : [{ ...NO_BATCH, timestamp: entry.lastTimestamp }];
    for (const batch of batches) writeEntry(body, entry, batch);
    count += batches.length;
  }
  body.patchInt32(0, count);
  const contents = body.toBytes();
  const snapshot = new ByteWriter(HEADER_BYTES + contents.length);
  snapshot.int16(VERSION);
  snapshot.uint32(crc32c(contents));
  snapshot.copy(contents);
  return snapshot.toBytes();
}

/** Null for bytes that are no such snapshot or are damaged. */
export function decodeProducerSnapshot(bytes: Uint8Array): Map<number, ProducerStateEntry> | null {
  try {
    const reader = new ByteReader(bytes);
    if (reader.int16() !== VERSION) return null;
    if (reader.uint32() !== crc32c(bytes, HEADER_BYTES)) return null;
    const count = reader.int32();
    if (count < 0 || reader.remaining !== count * ENTRY_BYTES) return null;
    const entries = new Map<number, ProducerStateEntry>();
    for (let index = 0; index < count; index += 1) readEntry(reader, entries);
    return entries;
  } catch (error) {
    if (error instanceof ProtocolError) return null;
    throw error;
  }
}

function writeEntry(writer: ByteWriter, entry: ProducerStateEntry, batch: ProducerBatchState): void {
  writer.int64(entry.producerId);
  writer.int16(entry.producerEpoch);
  writer.int32(batch.lastSequence);
  writer.int64(batch.lastOffset);
  writer.int32(batch.offsetDelta);
  writer.int64(batch.timestamp);
  writer.int32(entry.coordinatorEpoch);
  writer.int64(entry.currentTransactionFirstOffset);
}

function readEntry(reader: ByteReader, entries: Map<number, ProducerStateEntry>): void {
  const producerId = reader.int64();
  const producerEpoch = reader.int16();
  const lastSequence = reader.int32();
  const lastOffset = reader.int64();
  const offsetDelta = reader.int32();
  const timestamp = reader.int64();
  const batch: ProducerBatchState = { lastSequence, lastOffset, offsetDelta, timestamp };
  const earlier = entries.get(producerId);
  const kept =
    earlier?.producerEpoch === producerEpoch ? earlier.batches.slice(1 - BATCHES_PER_PRODUCER) : [];
  entries.set(producerId, {
    producerId,
    producerEpoch,
    batches: lastSequence < 0 ? kept : [...kept, batch],
    coordinatorEpoch: reader.int32(),
    lastTimestamp: timestamp,
    currentTransactionFirstOffset: reader.int64(),
  });
}
