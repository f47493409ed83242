import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from './byte-writer.ts';
import { readLoneProduce, writeLoneProduceAnswer } from './lone-produce.ts';
import { apis } from './messages/index.ts';
import { ProtocolError } from './protocol-error.ts';
import { decodeRequestBody, decodeRequestHeader, encodeRequest } from './request-frame.ts';
import { encodeResponse } from './response-frame.ts';

const versions = Array.from(
  { length: apis.produce.maxVersion - apis.produce.minVersion + 1 },
  (_, index) => apis.produce.minVersion + index,
);

const text = fc.string({ maxLength: 70, unit: 'grapheme' });
const requests = fc.record({
  transactionalId: fc.option(text, { freq: 8 }),
  acks: fc.integer({ min: -2, max: 2 }),
  timeoutMs: fc.integer({ min: -1, max: 60_000 }),
  topicData: fc.array(
    fc.record({
      name: text,
      partitionData: fc.array(
        fc.record({
          index: fc.nat(),
          records: fc.option(fc.uint8Array({ maxLength: 1500 }), { freq: 8 }),
        }),
        { minLength: 1, maxLength: 2 },
      ),
    }),
    { minLength: 1, maxLength: 2 },
  ),
});

function frameOf(
  version: number,
  clientId: string | null,
  body: Parameters<typeof apis.produce.writeRequest>[2],
) {
  return Buffer.concat(encodeRequest(apis.produce, version, 7, clientId, body)).subarray(4);
}

describe.each(versions)('version %i', (version) => {
  it('a request with one partition is read as the general way reads it, any other is left to it', () => {
    fc.assert(
      fc.property(fc.option(text), requests, (clientId, body) => {
        const lone = readLoneProduce(frameOf(version, clientId, body));
        const [topic] = body.topicData;
        const [partition] = topic?.partitionData ?? [];
        const isLone =
          body.transactionalId === null &&
          body.topicData.length === 1 &&
          topic?.partitionData.length === 1 &&
          partition?.records !== null;
        if (!isLone) {
          expect(lone).toBeNull();
          return;
        }
        expect(lone).toEqual({
          apiVersion: version,
          correlationId: 7,
          acks: body.acks,
          timeoutMs: body.timeoutMs,
          topic: topic?.name,
          index: partition?.index,
          records: Buffer.from(partition?.records ?? []),
        });
      }),
    );
  });

  it('F42: of damaged bytes it reads what the general way reads, or leaves them to it', () => {
    const lone = requests.filter(({ topicData }) => topicData.length === 1);
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 3 });
    fc.assert(
      fc.property(lone, changes, fc.nat(), (body, damage, cut) => {
        const whole = frameOf(version, 'a client', body);
        for (const [place, byte] of damage) whole[place % Math.min(60, whole.length)] = byte;
        const frame = whole.subarray(0, whole.length - (cut % 4 === 0 ? cut % whole.length : 0));
        const read = outcome(() => readLoneProduce(frame));
        if (read === null) return;
        const general = outcome(() => {
          const header = decodeRequestHeader(frame);
          const { transactionalId, acks, timeoutMs, topicData } = decodeRequestBody(
            apis.produce,
            header,
            frame,
          );
          const [only] = topicData;
          const [{ index, records } = { index: -1, records: null }] = only?.partitionData ?? [];
          expect(transactionalId).toBeNull();
          expect(topicData).toHaveLength(1);
          expect(only?.partitionData).toHaveLength(1);
          const { apiVersion, correlationId } = header;
          return { apiVersion, correlationId, acks, timeoutMs, topic: only?.name, index, records };
        });
        expect(general).toEqual(read);
      }),
    );
  });

  it('an answer is byte for byte that of the general way, wherever it stands', () => {
    const offsets = fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER });
    const answers = fc.record({
      topic: text,
      index: fc.nat(),
      correlationId: fc.integer({ min: -1, max: 9 }),
    });
    fc.assert(
      fc.property(answers, offsets, offsets, offsets, (asked, baseOffset, logAppendTime, logStartOffset) => {
        const writer = new ByteWriter();
        const before = new Uint8Array(2000);
        writer.passThrough(before);
        const request = { apiVersion: version, acks: 1, timeoutMs: 1, records: before, ...asked };
        writeLoneProduceAnswer(writer, request, { baseOffset, logAppendTime, logStartOffset });
        const { topic: name, index, correlationId } = asked;
        const response = { index, errorCode: 0, baseOffset, logAppendTimeMs: logAppendTime, logStartOffset };
        const general = encodeResponse(apis.produce, version, correlationId, {
          responses: [{ name, partitionResponses: [{ ...response, recordErrors: [] }] }],
        });
        expect(writer.toBytes().subarray(before.length)).toEqual(Buffer.concat(general));
      }),
    );
  });
});

/** Null for bytes that are no such request. */
function outcome<Result>(read: () => Result): Result | 'refused' {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProtocolError) return 'refused';
    throw error;
  }
}
