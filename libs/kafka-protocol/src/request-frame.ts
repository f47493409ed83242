/** Whole request frames: size, header, body. Record bytes pass through as they are. */
import { type Api, type AnyApi, requireVersion } from './api.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { apiByKey } from './messages/index.ts';
import { skipTags } from './schema/struct-codec.ts';

const SIZE_BYTES = 4;

export interface RequestHeader {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly correlationId: number;
  readonly clientId: string | null;
  /** Undefined when no API with this key is declared: close the connection. */
  readonly api: AnyApi | undefined;
  /** Whether `api` serves this version. If not: ApiVersions answers in version 0, for any other the connection is closed. */
  readonly supported: boolean;
  /** Where the body begins in the frame; meaningful only if `supported`. */
  readonly bodyPosition: number;
}

/** The chunks of a request frame, its size in front. They hold the record bytes given, not copies of them. */
export function encodeRequest<RequestIn>(
  api: Api<unknown, unknown, RequestIn, never>,
  version: number,
  correlationId: number,
  clientId: string | null,
  body: RequestIn,
): Uint8Array[] {
  requireVersion(api, version);
  const writer = new ByteWriter();
  writer.int32(0);
  writer.int16(api.key);
  writer.int16(version);
  writer.int32(correlationId);
  writer.nullableString(clientId);
  if (api.requestHeaderVersion(version) === 2) writer.unsignedVarint(0);
  api.writeRequest(writer, version, body);
  writer.patchInt32(0, writer.length - SIZE_BYTES);
  return writer.toChunks();
}

/**
 * Reads the header of a frame (without its size). An unknown key or version is told, not thrown: what follows differs
 * by API. Only bytes that cannot be a header throw.
 */
export function decodeRequestHeader(frame: Uint8Array): RequestHeader {
  const reader = new ByteReader(frame);
  const apiKey = reader.int16();
  const apiVersion = reader.int16();
  const correlationId = reader.int32();
  const api = apiByKey(apiKey);
  if (api === undefined || !api.supports(apiVersion)) {
    return {
      apiKey,
      apiVersion,
      correlationId,
      clientId: null,
      api,
      supported: false,
      bodyPosition: reader.position,
    };
  }
  // The client id keeps its plain form in the flexible header.
  const clientId = reader.nullableString();
  if (api.requestHeaderVersion(apiVersion) === 2) skipTags(reader);
  return { apiKey, apiVersion, correlationId, clientId, api, supported: true, bodyPosition: reader.position };
}

/** Bytes after the body are left unread, as Kafka does. Byte fields are views of the frame. */
export function decodeRequestBody<Request>(
  api: Api<Request, unknown, never, never>,
  header: RequestHeader,
  frame: Uint8Array,
): Request {
  requireVersion(api, header.apiVersion);
  return api.readRequest(new ByteReader(frame, header.bodyPosition), header.apiVersion);
}
