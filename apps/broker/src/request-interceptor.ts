/**
 * The one place where somebody may stand between the router and a handler: test kits, which let a request fail, lose
 * its answer or wait. A broker without an interceptor has its handlers called directly, at no cost.
 *
 * An interceptor answers each request exactly once: by `handle`, which calls the handler, or by `respond` in its
 * place. Bytes fields of a pipelined request (Produce) are good until the interceptor returns, so such a request is
 * handled at once or never; its answer may be held back for as long as one likes.
 */
import type { AnyApi } from '@seatlog/kafka-protocol';
import type { Handler, RequestContext, Respond } from './handlers/handler.ts';

export interface InterceptedRequest {
  readonly api: AnyApi;
  /** As the API's schema decodes it. */
  readonly body: unknown;
  readonly context: RequestContext;
  readonly respond: Respond<object>;
  /** Lets the broker do what the request asks; its answer (null: none is due) goes to `respond`. */
  handle(respond: Respond<object>): void;
}

export type RequestInterceptor = (request: InterceptedRequest) => void;

export function intercepted(
  api: AnyApi,
  handler: Handler<unknown, object>,
  interceptor: RequestInterceptor | undefined,
): Handler<unknown, object> {
  if (interceptor === undefined) return handler;
  return (body, context, respond) =>
    interceptor({
      api,
      body,
      context,
      respond,
      handle: (answer) => handler(body, context, answer),
    });
}
