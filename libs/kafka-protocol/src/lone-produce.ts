/**
 * Produce requests with one topic and one partition, which is what producers of small batches send: read without the
 * objects of the general way, and answered without them where the batch was taken. Of a request of 1 KiB these would cost
 * more than its checksum and its write together.
 *
 * Whatever is not so simple is left to the general way (`null`): other numbers of partitions, a transactional id, tagged
 * fields, versions that are not served. What throws ProtocolError here does so there.
 */
import { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { produce } from './messages/00-produce.ts';

export interface LoneProduce {
  readonly apiVersion: number;
  readonly correlationId: number;
  readonly acks: number;
  readonly timeoutMs: number;
  readonly topic: string;
  readonly index: number;
  /** A view of the frame. */
  readonly records: Uint8Array;
}

/** Where a batch came to lie. */
export interface LonePlace {
  readonly baseOffset: number;
  readonly logAppendTime: number;
  readonly logStartOffset: number;
}

const NULL_LENGTH = -1;
const START_OFFSET_FROM = 5;
const RECORD_ERRORS_FROM = 8;
const SIZE_BYTES = 4;

/** `frame` is a request without its size. */
export function readLoneProduce(frame: Uint8Array): LoneProduce | null {
  const reader = new ByteReader(frame);
  if (reader.int16() !== produce.key) return null;
  const apiVersion = reader.int16();
  if (!produce.supports(apiVersion)) return null;
  const correlationId = reader.int32();
  const clientIdBytes = reader.int16();
  if (clientIdBytes < NULL_LENGTH) return null;
  if (clientIdBytes > 0) reader.take(clientIdBytes);
  return produce.isFlexible(apiVersion)
    ? readFlexible(reader, apiVersion, correlationId)
    : readPlain(reader, apiVersion, correlationId);
}

function readPlain(reader: ByteReader, apiVersion: number, correlationId: number): LoneProduce | null {
  if (reader.int16() !== NULL_LENGTH) return null;
  const acks = reader.int16();
  const timeoutMs = reader.int32();
  if (reader.int32() !== 1) return null;
  const topic = reader.string();
  if (reader.int32() !== 1) return null;
  const index = reader.int32();
  const length = reader.bytesLength();
  if (length < 0) return null;
  const records = reader.view(length);
  return { apiVersion, correlationId, acks, timeoutMs, topic, index, records };
}

function readFlexible(reader: ByteReader, apiVersion: number, correlationId: number): LoneProduce | null {
  if (!hasNoTags(reader)) return null;
  // Lengths and counts are one more than they say; 0 stands for null.
  if (reader.unsignedVarint() !== 0) return null;
  const acks = reader.int16();
  const timeoutMs = reader.int32();
  if (reader.unsignedVarint() !== 2) return null;
  const topic = reader.compactString();
  if (reader.unsignedVarint() !== 2) return null;
  const index = reader.int32();
  const length = reader.compactBytesLength();
  if (length < 0) return null;
  const records = reader.view(length);
  // Of the partition, the topic, the request.
  if (!hasNoTags(reader) || !hasNoTags(reader) || !hasNoTags(reader)) return null;
  return { apiVersion, correlationId, acks, timeoutMs, topic, index, records };
}

function hasNoTags(reader: ByteReader): boolean {
  return reader.unsignedVarint() === 0;
}

/** The frame, its size in front, that answers a request whose batch was taken. */
export function writeLoneProduceAnswer(writer: ByteWriter, request: LoneProduce, place: LonePlace): void {
  const { apiVersion, correlationId, topic, index } = request;
  const isFlexible = produce.isFlexible(apiVersion);
  const start = writer.position;
  writer.int32(0);
  writer.int32(correlationId);
  if (isFlexible) {
    writer.unsignedVarint(0);
    writer.unsignedVarint(2);
    writer.compactString(topic);
    writer.unsignedVarint(2);
  } else {
    writer.int32(1);
    writer.string(topic);
    writer.int32(1);
  }
  writer.int32(index);
  writer.int16(0);
  writer.int64(place.baseOffset);
  writer.int64(place.logAppendTime);
  if (apiVersion >= START_OFFSET_FROM) writer.int64(place.logStartOffset);
  if (isFlexible) {
    // No record errors, no message; no tags of the partition and of the topic.
    writer.int32(0x0100_0000);
  } else if (apiVersion >= RECORD_ERRORS_FROM) {
    writer.int32(0);
    writer.int16(NULL_LENGTH);
  }
  writer.int32(0);
  if (isFlexible) writer.unsignedVarint(0);
  writer.patchInt32(start, writer.position - start - SIZE_BYTES);
}
