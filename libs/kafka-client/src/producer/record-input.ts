/** From what a caller gives to what is written: codecs, headers, checks. Pure. */
import type { RecordHeaderInput } from '@seatlog/kafka-protocol';
import { KafkaClientError } from '../errors.ts';
import { CodecError } from '../topics/codec-error.ts';
import type { AnyTopic, RawInput } from '../topics/topic.ts';
import type { Bytes } from './accumulator.ts';
import type { HeaderInput } from './types.ts';

/** Any record as the typed interface lets it through. */
export interface LooseRecord {
  readonly key?: unknown;
  readonly value?: unknown;
  readonly headers?: HeaderInput | undefined;
  readonly partition?: number | undefined;
  readonly timestamp?: number | undefined;
}

export interface EncodedRecord {
  readonly key: Bytes;
  readonly value: Bytes;
  readonly headers: readonly RecordHeaderInput[] | undefined;
  readonly partition: number | undefined;
  readonly timestamp: number | undefined;
}

/** Throws ENCODE_FAILED or INVALID_ARGUMENT, outcome `not-written`. */
export function encodeRecord(topic: string | AnyTopic, record: LooseRecord): EncodedRecord {
  return {
    key: typeof topic === 'string' ? rawBytes(record.key, 'key') : coded(topic, 'key', record.key),
    value: typeof topic === 'string' ? rawBytes(record.value, 'value') : coded(topic, 'value', record.value),
    headers: record.headers === undefined ? undefined : headerList(record.headers),
    partition: record.partition,
    timestamp: record.timestamp,
  };
}

export function nameOfTopic(topic: string | AnyTopic): string {
  return typeof topic === 'string' ? topic : topic.name;
}

function rawBytes(input: unknown, what: string): Bytes {
  if (input === undefined || input === null) return null;
  if (typeof input === 'string' || input instanceof Uint8Array) return input;
  throw invalidArgument(
    `the ${what} is neither text nor bytes`,
    'declare the topic with defineTopic to send values',
  );
}

function coded(topic: AnyTopic, what: 'key' | 'value', input: unknown): Bytes {
  try {
    // The types of send() have let only the codec's own input through; an absent key stands for null.
    const codec = topic[what] as { encode(value: unknown): Bytes };
    return codec.encode(input === undefined ? null : input);
  } catch (cause) {
    const why = cause instanceof CodecError ? cause.message : String(cause);
    throw new KafkaClientError('ENCODE_FAILED', `the ${what} for ${topic.name} cannot be encoded: ${why}`, {
      retriable: false,
      hint: 'send what the declaration of the topic allows',
      outcome: 'not-written',
      cause,
    });
  }
}

function headerList(headers: HeaderInput): readonly RecordHeaderInput[] | undefined {
  const pairs: readonly (readonly [string, RawInput])[] = isPairs(headers)
    ? headers
    : Object.entries(headers);
  if (pairs.length === 0) return undefined;
  return pairs.map(([key, value]) => ({ key, value: rawBytes(value, `header ${key}`) }));
}

function isPairs(headers: HeaderInput): headers is readonly (readonly [string, RawInput])[] {
  return Array.isArray(headers);
}

export function invalidArgument(message: string, hint: string, cause?: unknown): KafkaClientError {
  return new KafkaClientError('INVALID_ARGUMENT', message, {
    retriable: false,
    hint,
    outcome: 'not-written',
    cause,
  });
}

/** Whatever went wrong before a record lay in a batch. */
export function asSendError(cause: unknown): KafkaClientError {
  if (cause instanceof KafkaClientError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return invalidArgument(`the record cannot be written: ${why}`, 'look at the cause', cause);
}
