/**
 * The controller of this process, asked without a socket. Requests and answers go through their codecs all the same, so
 * that nothing differs from what another node would send and see.
 */
import { type Api, ByteReader, ByteWriter, ErrorCode } from '@seatlog/kafka-protocol';
import type { Handler, RequestContext } from '../handlers/handler.ts';
import type { PeerOutcome } from '../peers/peer-channel.ts';
import type { ControllerServices } from '../quorum/controller-services.ts';
import { controllerHandlers } from './handlers/index.ts';

export class LocalController {
  readonly #handlers: ReadonlyMap<number, Handler<unknown, object>>;

  constructor(services: ControllerServices) {
    this.#handlers = new Map(controllerHandlers.map(({ api, create }) => [api.key, create(services)]));
  }

  /** `done` may be called within. */
  ask<Response, RequestIn>(
    api: Api<unknown, Response, RequestIn, never>,
    version: number,
    body: RequestIn,
    done: (outcome: PeerOutcome<Response>) => void,
  ): void {
    const handle = this.#handlers.get(api.key);
    if (handle === undefined) throw new Error(`${api.name} is not served by controllers`);
    const request = new ByteWriter();
    api.writeRequest(request, version, body);
    handle(
      api.readRequest(new ByteReader(request.toBytes()), version),
      contextOf(api.key, version),
      (answer) => {
        const response = new ByteWriter();
        // The handler is that of this api, so its answers are what the api encodes.
        api.writeResponse(
          response,
          version,
          (answer ?? { errorCode: ErrorCode.UNKNOWN_SERVER_ERROR }) as never,
        );
        done({ kind: 'answered', response: api.readResponse(new ByteReader(response.toBytes()), version) });
      },
    );
  }
}

function contextOf(apiKey: number, apiVersion: number): RequestContext {
  return {
    apiKey,
    apiVersion,
    correlationId: 0,
    clientId: null,
    listenerName: '',
    clientHost: '127.0.0.1',
    isConnected: () => true,
    onDisconnect: () => {},
    onSent: () => {},
    closeConnection: () => {},
  };
}
