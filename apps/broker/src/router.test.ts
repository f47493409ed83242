import { apis, ByteWriter, decodeResponse, encodeRequest } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import { defineHandler, type HandlerDefinition } from './handlers/handler.ts';
import { createLogger, type Logger } from './logger.ts';
import { createMetrics } from './metrics.ts';
import { Exchange, type ExchangeOwner } from './network/exchange.ts';
import type { RequestInterceptor } from './request-interceptor.ts';
import { Router } from './router.ts';
import type { BrokerServices } from './services.ts';

class TestConnection implements ExchangeOwner {
  readonly listenerName = 'PLAINTEXT';
  readonly clientHost = '127.0.0.1';
  isOpen = true;
  closedBecause: string | null = null;

  answered(): void {}

  closeBecause(reason: string): void {
    this.closedBecause ??= reason;
    this.isOpen = false;
  }
}

interface Story {
  readonly connection: TestConnection;
  readonly exchange: Exchange;
  readonly router: Router;
  readonly lines: readonly string[];
  readonly released: () => number;
}

function story(
  table: readonly HandlerDefinition[],
  frame: Uint8Array,
  interceptor?: RequestInterceptor,
): Story {
  const lines: string[] = [];
  const log: Logger = createLogger({ now: () => 0, monotonic: () => 0 }, 'debug', (line) => lines.push(line));
  // Handlers of these tests use no services but these.
  const services = { log, metrics: createMetrics() } as unknown as BrokerServices;
  const router = new Router(table, services, interceptor);
  const connection = new TestConnection();
  let releases = 0;
  const lease = {
    bytes: frame,
    release: () => {
      releases += 1;
    },
  };
  const exchange = new Exchange(connection, lease, router.isPipelined(frame));
  return { connection, exchange, router, lines, released: () => releases };
}

function bytesOf(exchange: Exchange): Uint8Array {
  const output = new ByteWriter();
  exchange.writeTo(output);
  return output.toBytes();
}

function heartbeatFrame(): Uint8Array {
  const body = { groupId: 'g', generationId: 1, memberId: 'm' };
  return Buffer.concat(encodeRequest(apis.heartbeat, 3, 42, 'client', body)).subarray(4);
}

describe('Router', () => {
  it('hands the decoded request and its context to the handler, and encodes its answer', () => {
    let seen: unknown;
    const heartbeat = defineHandler(apis.heartbeat, () => (request, context, respond) => {
      seen = { ...request, clientId: context.clientId, version: context.apiVersion };
      respond({ errorCode: 27 });
    });
    const { exchange, router, released } = story([heartbeat], heartbeatFrame());
    router.begin(exchange);
    expect(seen).toMatchObject({ groupId: 'g', memberId: 'm', clientId: 'client', version: 3 });
    const frame = bytesOf(exchange).subarray(4);
    expect(decodeResponse(apis.heartbeat, 3, frame)).toMatchObject({
      correlationId: 42,
      body: { errorCode: 27 },
    });
    expect(released()).toBe(1);
  });

  it('closes the connection of a handler that throws, says why in the log, and lets the memory go', () => {
    const heartbeat = defineHandler(apis.heartbeat, () => () => {
      throw new TypeError('a defect');
    });
    const { connection, exchange, router, lines, released } = story([heartbeat], heartbeatFrame());
    router.begin(exchange);
    expect(connection.closedBecause).toBe('a request could not be handled');
    expect(lines.join('')).toContain('a defect');
    expect(released()).toBe(1);
  });

  it('closes the connection when an answer cannot be encoded in the version asked', () => {
    const heartbeat = defineHandler(apis.heartbeat, () => (_request, _context, respond) => {
      respond({ errorCode: 1_000_000 });
    });
    const { connection, exchange, router } = story([heartbeat], heartbeatFrame());
    router.begin(exchange);
    expect(connection.closedBecause).toContain('VALUE_OUT_OF_RANGE');
    expect(bytesOf(exchange)).toHaveLength(0);
  });

  it('takes one answer and reports a second', () => {
    const heartbeat = defineHandler(apis.heartbeat, () => (_request, _context, respond) => {
      respond({ errorCode: 0 });
      respond({ errorCode: 1 });
    });
    const { exchange, router, lines } = story([heartbeat], heartbeatFrame());
    router.begin(exchange);
    const frame = bytesOf(exchange).subarray(4);
    expect(decodeResponse(apis.heartbeat, 3, frame).body.errorCode).toBe(0);
    expect(lines.join('')).toContain('twice');
  });

  it('F45: closes the connection for an API that has no handler', () => {
    const { connection, exchange, router } = story([], heartbeatFrame());
    router.begin(exchange);
    expect(connection.closedBecause).toBe('API key 12 version 3 is not served');
  });

  describe('with an interceptor', () => {
    const answered = (exchange: Exchange): number =>
      decodeResponse(apis.heartbeat, 3, bytesOf(exchange).subarray(4)).body.errorCode;
    let handled = 0;
    const heartbeat = defineHandler(apis.heartbeat, () => (_request, _context, respond) => {
      handled += 1;
      respond({ errorCode: 1 });
    });

    it('lets it answer in place of the handler, which then is not called', () => {
      handled = 0;
      const { exchange, router } = story([heartbeat], heartbeatFrame(), ({ api, body, respond }) => {
        expect([api.name, body]).toMatchObject(['Heartbeat', { groupId: 'g' }]);
        respond({ errorCode: 16 });
      });
      router.begin(exchange);
      expect([answered(exchange), handled]).toEqual([16, 0]);
    });

    it('lets it call the handler and change the answer', () => {
      handled = 0;
      const { exchange, router } = story([heartbeat], heartbeatFrame(), ({ handle, respond }) =>
        handle((response) => respond({ ...response, errorCode: 27 })),
      );
      router.begin(exchange);
      expect([answered(exchange), handled]).toEqual([27, 1]);
    });

    it('lets it close the connection once the handler has done its work', () => {
      handled = 0;
      const { connection, exchange, router } = story(
        [heartbeat],
        heartbeatFrame(),
        ({ context, handle, respond }) =>
          handle(() => {
            context.closeConnection('the answer is lost');
            respond(null);
          }),
      );
      router.begin(exchange);
      expect([connection.closedBecause, bytesOf(exchange).length, handled]).toEqual([
        'the answer is lost',
        0,
        1,
      ]);
    });
  });
});
