/**
 * Administration on a broker's listener: the request goes to the active controller in an Envelope, with the header that
 * the client gave it, and what the controller answers is answered here, once this broker has applied the change, or has
 * lagged behind for long enough.
 *
 * While no controller can be reached it is tried until the request's own time is over; then every topic or resource of
 * the request gets REQUEST_TIMED_OUT, and whether it was carried out is unknown.
 */
import { isIPv4 } from 'node:net';
import { type Api, apis, decodeResponse, encodeRequest, ErrorCode } from '@seatlog/kafka-protocol';
import type { Timers } from '@seatlog/runtime';
import type { HandlerDefinition, RequestContext, Respond } from '../handlers/handler.ts';
import type { MetadataService } from '../metadata/metadata-service.ts';
import type { AdministrationDefinition, AdministrationServices } from './administration.ts';
import { APPLIED_LIMIT_MS, shownBy, whenShown } from './applied-here.ts';
import type { ControllerRequests } from './controller-requests.ts';

/** For requests that name no time of their own. */
const FORWARDING_MS = 60_000;
/** However little time a client gives: its request is sent, and has a chance to be answered. */
const SHORTEST_FORWARDING_MS = 1000;
const SIZE_BYTES = 4;

export interface ForwardingServices extends AdministrationServices {
  readonly controllerChannel: ControllerRequests;
  readonly timers: Timers;
}

/** As in the router: handler and API come from one definition. */
type UntypedApi = Api<unknown, object, object, never>;

export function forwarded(definition: AdministrationDefinition): HandlerDefinition<ForwardingServices> {
  const api: UntypedApi = definition.api as UntypedApi;
  return {
    api,
    pipelined: false,
    create: (services) => (request, context, respond) => {
      const fail = (errorCode: number, message: string): void =>
        definition.create(unable(services, errorCode, message))(request, context, respond);
      const before = services.metadata.image;
      services.controllerChannel.send(
        apis.envelope,
        apis.envelope.maxVersion,
        envelopeOf(api, request as object, context),
        { timeoutMs: timeOf(request) },
        (outcome) => {
          if (outcome.kind === 'failed') {
            return fail(ErrorCode.REQUEST_TIMED_OUT, `No controller answered in time: ${outcome.reason}.`);
          }
          const { errorCode, responseData } = outcome.response;
          if (errorCode === ErrorCode.UNSUPPORTED_VERSION) {
            return context.closeConnection(`the controller does not serve ${api.name} ${context.apiVersion}`);
          }
          if (errorCode !== ErrorCode.NONE || responseData === null) {
            return fail(ErrorCode.UNKNOWN_SERVER_ERROR, `The controller refused the request: ${errorCode}.`);
          }
          const { body } = decodeResponse(api, context.apiVersion, responseData);
          answerOnceApplied(services, shownBy(api.key, request, body, before), body, respond);
        },
      );
    },
  };
}

function answerOnceApplied(
  { metadata, timers }: ForwardingServices,
  shows: ReturnType<typeof shownBy>,
  body: object,
  respond: Respond<object>,
): void {
  whenShown(metadata, timers, shows, APPLIED_LIMIT_MS, () => respond(body));
}

function envelopeOf(api: UntypedApi, request: object, context: RequestContext) {
  const { apiVersion, correlationId, clientId, clientHost } = context;
  const frame = Buffer.concat(encodeRequest(api, apiVersion, correlationId, clientId, request));
  return {
    requestData: frame.subarray(SIZE_BYTES),
    requestPrincipal: null,
    clientHostAddress: addressBytes(clientHost),
  };
}

/** Addresses of IPv6 are for the controller's log alone, which does without. */
function addressBytes(host: string): Uint8Array {
  return Uint8Array.from(isIPv4(host) ? host.split('.').map(Number) : []);
}

function timeOf(request: unknown): number {
  const named =
    typeof request === 'object' && request !== null && 'timeoutMs' in request ? request.timeoutMs : null;
  return typeof named === 'number' ? Math.max(named, SHORTEST_FORWARDING_MS) : FORWARDING_MS;
}

/** Services on which the handler of the API answers that it cannot, in the API's own form. */
function unable(
  { config, topicCreation, metadata }: ForwardingServices,
  errorCode: number,
  message: string,
): AdministrationServices {
  const refusing: MetadataService = {
    image: metadata.image,
    controllerId: metadata.controllerId,
    clusterId: metadata.clusterId,
    nodeId: metadata.nodeId,
    subscribe: () => () => {},
    change: (_decide, done) => done({ kind: 'failed', errorCode, message }),
  };
  return { config, topicCreation, metadata: refusing };
}
