/** Requests that wait for their answer, by the token that the coordinator knows them by. */
import type { GroupResponse, GroupResponseTo, RequestToken } from '@seatlog/group-coordinator';

export class ParkedRequests {
  #nextToken = 1;
  readonly #waiting = new Map<RequestToken, (response: GroupResponse) => void>();

  park<T extends GroupResponse['type']>(
    type: T,
    respond: (response: GroupResponseTo<T>) => void,
  ): RequestToken {
    const token = this.#nextToken++;
    this.#waiting.set(token, (response) => {
      if (!isOfType(response, type)) throw new Error(`a ${type} was answered with a ${response.type}`);
      respond(response);
    });
    return token;
  }

  answer(token: RequestToken, response: GroupResponse): void {
    const respond = this.#waiting.get(token);
    if (respond === undefined) throw new Error(`no request waits for the answer to token ${token}`);
    this.#waiting.delete(token);
    respond(response);
  }
}

export function isOfType<T extends GroupResponse['type']>(
  response: GroupResponse,
  type: T,
): response is GroupResponseTo<T> {
  return response.type === type;
}
