/** What can go wrong with a connection, in the client's words. */
import { KafkaClientError } from '../errors.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

const CHECK_LISTENERS =
  'check that the broker runs and that its advertised.listeners can be reached from here';

export function connectionFailed(at: Address, why: string, cause?: unknown): KafkaClientError {
  return new KafkaClientError('CONNECTION_FAILED', `cannot connect to ${at.host}:${at.port}: ${why}`, {
    retriable: true,
    hint: CHECK_LISTENERS,
    cause,
  });
}

export function connectionClosed(at: Address, cause: unknown): KafkaClientError {
  return new KafkaClientError('CONNECTION_CLOSED', `the connection to ${at.host}:${at.port} was closed`, {
    retriable: true,
    hint: 'the client connects again by itself; if it goes on, look into the log of the broker',
    cause: cause ?? undefined,
  });
}

export function requestTimedOut(at: Address, api: string, afterMs: number): KafkaClientError {
  return new KafkaClientError(
    'REQUEST_TIMEOUT',
    `${at.host}:${at.port} did not answer ${api} within ${Math.round(afterMs)} ms`,
    { retriable: true, hint: 'the broker is overloaded, stalled or cut off; or raise requestTimeoutMs' },
  );
}

export function malformedResponse(at: Address, cause: unknown): KafkaClientError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new KafkaClientError(
    'MALFORMED_RESPONSE',
    `${at.host}:${at.port} sent what makes no sense: ${why}`,
    {
      retriable: true,
      hint: 'check that the address is a Kafka listener without TLS',
      cause,
    },
  );
}
