/**
 * Codecs turn keys and values into bytes and back. They are synchronous and pure; a refusal is a CodecError.
 * `encode` may give a string: it is written as UTF-8 straight into the batch.
 */
import { CodecError } from './codec-error.ts';
import type { SchemaInput, SchemaOutput, StandardSchema, StandardIssue } from './standard-schema.ts';

export interface Codec<Input, Output = Input> {
  encode(value: Input): Uint8Array | string | null;
  /** null stands for a null key, or for a tombstone (a null value). */
  decode(bytes: Uint8Array | null): Output;
}

const utf8Decoder = new TextDecoder('utf-8', { fatal: true });

const absent = (expected: string) => new CodecError('DECODE_FAILED', [`null where ${expected} was declared`]);

/** UTF-8 text. Bytes that are no UTF-8 are refused on decode. */
export const string: Codec<string> = {
  encode: (value) => value,
  decode(bytes) {
    if (bytes === null) throw absent('a string');
    try {
      return utf8Decoder.decode(bytes);
    } catch (cause) {
      throw new CodecError('DECODE_FAILED', ['the bytes are no UTF-8'], cause);
    }
  },
};

/** The bytes as they are. Decoding gives a view on the fetched data: copy it to keep it for long. */
export const bytes: Codec<Uint8Array> = {
  encode: (value) => value,
  decode(view) {
    if (view === null) throw absent('bytes');
    return view;
  },
};

/** Allows null: a record without a key, or a tombstone. */
export function nullable<Input, Output>(codec: Codec<Input, Output>): Codec<Input | null, Output | null> {
  return {
    encode: (value) => (value === null ? null : codec.encode(value)),
    decode: (view) => (view === null ? null : codec.decode(view)),
  };
}

/**
 * JSON, checked by a Standard Schema both ways. The wire holds the schema's input form: a producer gives what the schema
 * accepts, a consumer gets what it puts out (defaults filled in, transforms applied). Schemas that validate
 * asynchronously are refused, since a record is encoded within `send()`.
 *
 * ```ts
 * const events = defineTopic({ name: 'events', key: string, value: json(z.object({ seatId: z.string() })) });
 * ```
 */
export function json<Schema extends StandardSchema>(
  schema: Schema,
): Codec<SchemaInput<Schema>, SchemaOutput<Schema>> {
  const check = (value: unknown, code: 'ENCODE_FAILED' | 'DECODE_FAILED'): SchemaOutput<Schema> => {
    const result = schema['~standard'].validate(value);
    if (result instanceof Promise) throw new CodecError(code, ['the schema validates asynchronously']);
    if (result.issues !== undefined) throw new CodecError(code, result.issues.map(describeIssue));
    return result.value;
  };
  return {
    encode(value) {
      check(value, 'ENCODE_FAILED');
      return JSON.stringify(value);
    },
    decode(view) {
      if (view === null) throw absent('JSON');
      let parsed: unknown;
      try {
        parsed = JSON.parse(utf8Decoder.decode(view));
      } catch (cause) {
        throw new CodecError('DECODE_FAILED', ['the bytes are no JSON'], cause);
      }
      return check(parsed, 'DECODE_FAILED');
    },
  };
}

function describeIssue(issue: StandardIssue): string {
  const path = issue.path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return path ? `${path}: ${issue.message}` : issue.message;
}
