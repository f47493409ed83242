/**
 * One Kafka API: its key, the versions that are served, and the codecs of request and response for each of them,
 * compiled when the declaration is loaded.
 */
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { requestHeaderVersion, responseHeaderVersion } from './header-versions.ts';
import { ProtocolError } from './protocol-error.ts';
import { compileMessage } from './schema/message-codec.ts';
import type { Fields, InputOf, OutputOf } from './schema/field.ts';
import { includesVersion, NO_VERSIONS, parseVersions, type VersionRange } from './schema/version-range.ts';

export interface Api<Request, Response, RequestIn = Request, ResponseIn = Response> {
  readonly key: number;
  /** Kafka's name without "Request" or "Response": `Produce`. */
  readonly name: string;
  /** Lowest version that is served. */
  readonly minVersion: number;
  readonly maxVersion: number;
  /** Lowest version told in ApiVersions; below `minVersion` only for Produce, which some clients take for a sign. */
  readonly advertisedMinVersion: number;
  /** The declarations, for tools and tests that are derived from them. */
  readonly requestFields: Fields;
  readonly responseFields: Fields;
  supports(version: number): boolean;
  isFlexible(version: number): boolean;
  requestHeaderVersion(version: number): 1 | 2;
  responseHeaderVersion(version: number): 0 | 1;
  readRequest(reader: ByteReader, version: number): Request;
  writeRequest(writer: ByteWriter, version: number, body: RequestIn): void;
  readResponse(reader: ByteReader, version: number): Response;
  writeResponse(writer: ByteWriter, version: number, body: ResponseIn): void;
}

/** Any API, where its types do not matter. */
export type AnyApi = Api<unknown, unknown, never, never>;

export type RequestOf<A> = A extends Api<infer Request, infer _R, infer _RI, infer _SI> ? Request : never;
export type ResponseOf<A> = A extends Api<infer _Q, infer Response, infer _QI, infer _SI> ? Response : never;
/** What an encoder takes: fields with a default may be left out. */
export type RequestInput<A> = A extends Api<infer _Q, infer _S, infer Input, infer _SI> ? Input : never;
export type ResponseInput<A> = A extends Api<infer _Q, infer _S, infer _QI, infer Input> ? Input : never;

export interface ApiDeclaration<Request extends Fields, Response extends Fields> {
  readonly key: number;
  readonly name: string;
  readonly versions: VersionRange;
  readonly flexible?: VersionRange;
  readonly advertisedFrom?: number;
  readonly request: Request;
  readonly response: Response;
}

export function defineApi<Request extends Fields, Response extends Fields>(
  declaration: ApiDeclaration<Request, Response>,
): Api<OutputOf<Request>, OutputOf<Response>, InputOf<Request>, InputOf<Response>> {
  const { key, name } = declaration;
  const served = parseVersions(declaration.versions);
  const flexible = declaration.flexible === undefined ? NO_VERSIONS : parseVersions(declaration.flexible);
  const isFlexible = (version: number): boolean => includesVersion(flexible, version);
  const request = compileMessage<OutputOf<Request>, InputOf<Request>>(
    `${name}Request`,
    declaration.request,
    served,
    flexible,
  );
  const response = compileMessage<OutputOf<Response>, InputOf<Response>>(
    `${name}Response`,
    declaration.response,
    served,
    flexible,
  );
  return {
    key,
    name,
    minVersion: served.from,
    maxVersion: served.to,
    advertisedMinVersion: declaration.advertisedFrom ?? served.from,
    requestFields: declaration.request,
    responseFields: declaration.response,
    supports: (version) => includesVersion(served, version),
    isFlexible,
    requestHeaderVersion: (version) => requestHeaderVersion(isFlexible(version)),
    responseHeaderVersion: (version) => responseHeaderVersion(key, isFlexible(version)),
    readRequest: (reader, version) => request.read(reader, version),
    writeRequest: (writer, version, body) => request.write(writer, version, body),
    readResponse: (reader, version) => response.read(reader, version),
    writeResponse: (writer, version, body) => response.write(writer, version, body),
  };
}

/** Refuses a version that is not served, by name. */
export function requireVersion(api: AnyApi, version: number): void {
  if (api.supports(version)) return;
  throw new ProtocolError(
    'UNSUPPORTED_VERSION',
    `${api.name} version ${version} is outside ${api.minVersion}-${api.maxVersion}`,
  );
}
