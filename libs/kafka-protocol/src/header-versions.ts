/**
 * Which header goes with which body. A table of its own: the rule "flexible body, flexible header" has exceptions, and
 * Kafka adds to them.
 */
const API_VERSIONS_KEY = 18;

/** APIs whose response always has the plain header: a client reads it before it knows what the broker speaks. */
const PLAIN_RESPONSE_HEADER: ReadonlySet<number> = new Set([API_VERSIONS_KEY]);

/** 1: key, version, correlation id, client id. 2: the same and tagged fields. */
export function requestHeaderVersion(flexible: boolean): 1 | 2 {
  return flexible ? 2 : 1;
}

/** 0: correlation id. 1: the same and tagged fields. */
export function responseHeaderVersion(apiKey: number, flexible: boolean): 0 | 1 {
  return flexible && !PLAIN_RESPONSE_HEADER.has(apiKey) ? 1 : 0;
}
