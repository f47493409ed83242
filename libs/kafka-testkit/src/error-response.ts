/**
 * The answer of a broker that refuses a request with one error: built from the API's schema and the request, so that
 * every topic, partition, group or resource that was asked about is answered with the code. Pure.
 *
 * How a response's list finds its request's: the elements share a field that names them (`name`, `groupId`, a
 * partition's index under any of its names), or the request lists the names alone. A list whose elements carry no error
 * stays empty. The code stands on every level that has a place for one, but for Fetch's own, which is about sessions.
 */
import {
  type AnyApi,
  apis,
  type Field,
  type Fields,
  includesVersion,
  parseVersions,
  type ResponseInput,
} from '@seatlog/kafka-protocol';

type Values = Readonly<Record<string, unknown>>;

/** Fields that say what an element is about, by the names that Kafka's schemas use for the same thing. */
const IDENTITIES: Readonly<Record<string, string>> = {
  name: 'topic',
  topic: 'topic',
  topicId: 'topicId',
  index: 'partition',
  partition: 'partition',
  partitionIndex: 'partition',
  groupId: 'groupId',
  key: 'key',
  memberId: 'memberId',
  groupInstanceId: 'groupInstanceId',
  resourceType: 'resourceType',
  resourceName: 'resourceName',
};

export function errorResponse(api: AnyApi, version: number, request: Values, errorCode: number): object {
  const response = filled(api.responseFields, version, request, errorCode);
  const isAboutSessions = api.key === apis.fetch.key && 'responses' in response;
  return isAboutSessions ? { ...response, errorCode: 0 } : response;
}

/** A broker's answer to Metadata with an error in place of what it says of each topic. */
export function topicsRefused(response: object, errorCode: number): object {
  const { topics = [] } = response as Partial<ResponseInput<typeof apis.metadata>>;
  return { ...response, topics: topics.map((topic) => ({ ...topic, errorCode, partitions: [] })) };
}

function filled(fields: Fields, version: number, source: Values, errorCode: number): Values {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!exists(field, version)) continue;
    if (name === 'errorCode') values[name] = errorCode;
    else if (field.shape.kind === 'structs' && carriesError(field.shape.fields)) {
      values[name] = elements(field.shape.fields, version, source, errorCode);
    }
  }
  return values;
}

function elements(fields: Fields, version: number, source: Values, errorCode: number): readonly Values[] {
  for (const candidate of Object.values(source)) {
    if (!Array.isArray(candidate) || candidate.length === 0) continue;
    const asked = candidate.map((element: unknown) => identityOf(fields, version, element));
    if (asked.some((identity) => Object.keys(identity).length === 0)) continue;
    return candidate.map((element: unknown, index) => ({
      ...filled(fields, version, typeof element === 'object' ? (element as Values) : {}, errorCode),
      ...asked[index],
    }));
  }
  return [];
}

/** What the element of a request says of its identity, under the response's names. */
function identityOf(fields: Fields, version: number, element: unknown): Values {
  const identity: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const meaning = IDENTITIES[name];
    if (meaning === undefined || field.shape.kind !== 'scalar' || !exists(field, version)) continue;
    if (typeof element === 'object' && element !== null) {
      const given = Object.entries(element).find(([key]) => IDENTITIES[key] === meaning);
      if (given !== undefined) identity[name] = given[1];
    } else if (typeof element === typeOf(field.shape.scalar)) {
      return { [name]: element };
    }
  }
  return identity;
}

function typeOf(scalar: string): 'string' | 'number' | 'other' {
  if (scalar === 'string') return 'string';
  return scalar === 'int32' ? 'number' : 'other';
}

function exists(field: Field, version: number): boolean {
  return includesVersion(parseVersions(field.versions), version);
}

function carriesError(fields: Fields): boolean {
  return Object.entries(fields).some(
    ([name, { shape }]) => name === 'errorCode' || (shape.kind === 'structs' && carriesError(shape.fields)),
  );
}
