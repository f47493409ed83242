/**
 * Envelope 0: a client's request that a broker passes on. The request inside is handled as if it had come here, and its
 * answer goes back with the header that the client waits for.
 *
 * The envelope's own error code tells the broker what became of it: NOT_CONTROLLER, also when the answer inside would
 * say so (the broker looks for the controller and sends it again), UNSUPPORTED_VERSION, or INVALID_REQUEST for what is
 * not administration or no request at all.
 */
import {
  type Api,
  apis,
  decodeRequestBody,
  decodeRequestHeader,
  encodeResponse,
  ErrorCode,
  ProtocolError,
  type RequestHeader,
} from '@seatlog/kafka-protocol';
import { defineControllerHandler, type Handler, type RequestContext } from '../../handlers/handler.ts';
import { administrationHandlers } from '../administration-handlers.ts';
import { saysNotController } from '../not-controller.ts';

/** As in the router: handler and API came from one definition. */
type UntypedApi = Api<unknown, unknown, never, object>;

interface Route {
  readonly api: UntypedApi;
  readonly handle: Handler<unknown, object>;
}

const SIZE_BYTES = 4;
const IPV4_BYTES = 4;

export const envelope = defineControllerHandler(apis.envelope, (services) => {
  const routes = new Map<number, Route>(
    administrationHandlers.map(({ api, create }) => [api.key, { api, handle: create(services) }]),
  );
  return ({ requestData, clientHostAddress }, context, respond) => {
    const refuse = (errorCode: number): void => respond({ responseData: null, errorCode });
    if (services.metadata.term === null) return refuse(ErrorCode.NOT_CONTROLLER);
    try {
      const header = decodeRequestHeader(requestData);
      const route = routes.get(header.apiKey);
      if (route === undefined) return refuse(ErrorCode.INVALID_REQUEST);
      if (!header.supported) return refuse(ErrorCode.UNSUPPORTED_VERSION);
      const body = decodeRequestBody(route.api, header, requestData);
      route.handle(body, innerContext(context, header, hostText(clientHostAddress)), (response) => {
        if (response === null) return refuse(ErrorCode.UNKNOWN_SERVER_ERROR);
        if (saysNotController(response)) return refuse(ErrorCode.NOT_CONTROLLER);
        respond({ responseData: answerBytes(route.api, header, response), errorCode: ErrorCode.NONE });
      });
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      refuse(ErrorCode.INVALID_REQUEST);
    }
  };
});

/** Header and body, without the size. */
function answerBytes(api: UntypedApi, header: RequestHeader, response: object): Uint8Array {
  const frame = Buffer.concat(encodeResponse(api, header.apiVersion, header.correlationId, response));
  return frame.subarray(SIZE_BYTES);
}

function innerContext(
  outer: RequestContext,
  { apiKey, apiVersion, correlationId, clientId }: RequestHeader,
  clientHost: string,
): RequestContext {
  return {
    apiKey,
    apiVersion,
    correlationId,
    clientId,
    clientHost,
    listenerName: outer.listenerName,
    isConnected: () => outer.isConnected(),
    onDisconnect: (action) => outer.onDisconnect(action),
    onSent: (action) => outer.onSent(action),
    closeConnection: (reason) => outer.closeConnection(reason),
  };
}

function hostText(address: Uint8Array): string {
  if (address.length === IPV4_BYTES) return address.join('.');
  return Buffer.from(address)
    .toString('hex')
    .replace(/(.{4})(?=.)/g, '$1:');
}
