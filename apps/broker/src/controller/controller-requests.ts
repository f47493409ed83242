/** The way of this broker's requests to the active controller, whoever that is. */
import type { Api } from '@seatlog/kafka-protocol';
import type { PeerOutcome } from '../peers/peer-channel.ts';

/** `done` is called once, never before `send` returns; `failed` leaves open whether the request was carried out. */
export interface ControllerRequests {
  send<Response extends object, RequestIn>(
    api: Api<unknown, Response, RequestIn, never>,
    version: number,
    body: RequestIn,
    options: { readonly timeoutMs: number },
    done: (outcome: PeerOutcome<Response>) => void,
  ): void;
}
