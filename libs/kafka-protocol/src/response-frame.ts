/** Whole response frames: size, header, body. Record bytes pass through as they are. */
import { type Api, requireVersion } from './api.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { skipTags } from './schema/struct-codec.ts';

const SIZE_BYTES = 4;

/** The chunks of a response frame, its size in front. They hold the record bytes given, not copies of them. */
export function encodeResponse<ResponseIn>(
  api: Api<unknown, unknown, never, ResponseIn>,
  version: number,
  correlationId: number,
  body: ResponseIn,
): Uint8Array[] {
  requireVersion(api, version);
  const writer = new ByteWriter();
  writer.int32(0);
  writer.int32(correlationId);
  if (api.responseHeaderVersion(version) === 1) writer.unsignedVarint(0);
  api.writeResponse(writer, version, body);
  writer.patchInt32(0, writer.length - SIZE_BYTES);
  return writer.toChunks();
}

/** Correlation id of a frame (without its size), to find the API and version that were asked. */
export function decodeCorrelationId(frame: Uint8Array): number {
  return new ByteReader(frame).int32();
}

/** Bytes after the body are left unread, as Kafka does. Byte fields are views of the frame. */
export function decodeResponse<Response>(
  api: Api<unknown, Response, never, never>,
  version: number,
  frame: Uint8Array,
): { correlationId: number; body: Response } {
  requireVersion(api, version);
  const reader = new ByteReader(frame);
  const correlationId = reader.int32();
  if (api.responseHeaderVersion(version) === 1) skipTags(reader);
  return { correlationId, body: api.readResponse(reader, version) };
}
