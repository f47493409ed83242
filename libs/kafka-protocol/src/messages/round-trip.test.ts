/** What every version of every declared message must do, whatever the message says. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyApi } from '../api.ts';
import { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';
import { ProtocolError } from '../protocol-error.ts';
import type { Fields } from '../schema/field.ts';
import { completed, messageArbitrary } from '../testing/message-arbitrary.ts';
import { apis } from './index.ts';

interface Message {
  readonly name: string;
  readonly fields: Fields;
  read(reader: ByteReader, version: number): Record<string, unknown>;
  write(writer: ByteWriter, version: number, body: Record<string, unknown>): void;
}

function messagesOf(api: AnyApi): Message[] {
  // The generators follow the declaration, which is what the types of the bodies are derived from.
  const typed = api as unknown as Record<'readRequest' | 'readResponse', Message['read']> &
    Record<'writeRequest' | 'writeResponse', Message['write']>;
  return [
    { name: 'request', fields: api.requestFields, read: typed.readRequest, write: typed.writeRequest },
    { name: 'response', fields: api.responseFields, read: typed.readResponse, write: typed.writeResponse },
  ];
}

const versionsOf = (api: AnyApi): number[] =>
  Array.from({ length: api.maxVersion - api.minVersion + 1 }, (_, i) => api.minVersion + i);

function encode(message: Message, version: number, body: Record<string, unknown>): Uint8Array {
  const writer = new ByteWriter();
  message.write(writer, version, body);
  return writer.toBytes();
}

const hasUnreadable = (error: unknown): boolean => error instanceof ProtocolError;

describe.each(Object.values(apis) as AnyApi[])('$name', (api) => {
  describe.each(messagesOf(api))('$name', (message) => {
    it('comes back as it was sent, in every version', () => {
      for (const version of versionsOf(api)) {
        fc.assert(
          fc.property(messageArbitrary(message.fields, version), (body) => {
            const bytes = encode(message, version, body);
            // Bytes beyond the span must not matter.
            const surrounded = Buffer.concat([Buffer.alloc(3, 0xee), bytes, Buffer.alloc(9, 0xee)]);
            const reader = new ByteReader(surrounded, 3, 3 + bytes.length);
            const decoded = message.read(reader, version);
            expect(reader.remaining).toBe(0);
            expect(completed(message.fields, decoded)).toEqual(completed(message.fields, body));
          }),
          { numRuns: 40 },
        );
      }
    });

    it('F42: any cut end is refused, and nothing is thrown but ProtocolError', () => {
      for (const version of versionsOf(api)) {
        fc.assert(
          fc.property(messageArbitrary(message.fields, version), fc.nat(), (body, cut) => {
            const bytes = encode(message, version, body);
            if (bytes.length === 0) return;
            const reader = new ByteReader(bytes.subarray(0, cut % bytes.length));
            expect(() => message.read(reader, version)).toThrow(ProtocolError);
          }),
          { numRuns: 40 },
        );
      }
    });

    it('F42: damaged bytes give a message in proportion to their number, or ProtocolError', () => {
      const damage = fc.array(fc.tuple(fc.nat(), fc.constantFrom(0x00, 0x7f, 0x80, 0xff, 0x01)), {
        maxLength: 6,
      });
      for (const version of versionsOf(api)) {
        fc.assert(
          fc.property(messageArbitrary(message.fields, version), damage, (body, changes) => {
            const bytes = Buffer.from(encode(message, version, body));
            for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
            try {
              const decoded = message.read(new ByteReader(bytes), version);
              expect(countElements(decoded)).toBeLessThanOrEqual(bytes.length);
            } catch (error) {
              if (!hasUnreadable(error)) throw error;
            }
          }),
          { numRuns: 40 },
        );
      }
    });
  });
});

/** Elements of all lists in a message, at any depth. */
function countElements(value: unknown): number {
  if (value instanceof Uint8Array || value === null || typeof value !== 'object') return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + 1 + countElements(item), 0);
  return Object.values(value).reduce<number>((sum, item) => sum + countElements(item), 0);
}
