/**
 * Which ways of a network are cut or slow, by who sends to whom. Proxies ask it, and are told when it changes.
 *
 * A way has a direction: what `node-1` sends to `node-2` are its requests on connections that it opened, and its answers on
 * those that `node-2` opened. Bytes on a way that is cut are held, in order, and arrive when it is whole again, as TCP
 * would have them; a connection over it can be made, since the proxy takes it, but nothing answers.
 *
 * Nodes are called `node-<id>`; anybody else by the client id of the first request. Who has not said a word yet is nobody.
 */
export type Endpoint = string;

export const nodeEndpoint = (nodeId: number): Endpoint => `node-${nodeId}`;

const NODE_CLIENT = /^(?:broker|raft-client|controller|node)-(\d+)(?:-|$)/;

/** Nodes name themselves in their client ids, as Kafka's do: `broker-2-fetcher-0`, `raft-client-2`. */
export function endpointOfClient(clientId: string): Endpoint {
  const id = NODE_CLIENT.exec(clientId)?.[1];
  return id === undefined ? clientId : nodeEndpoint(Number(id));
}

/** Whose answer to which request gets lost: the request arrives, then the connection breaks. */
export interface LostAnswer {
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly apiKey: number;
}

export class NetworkFaults {
  readonly #cut = new Set<string>();
  readonly #delays = new Map<string, number>();
  readonly #lost: { readonly answer: LostAnswer; readonly onLost: () => void }[] = [];
  readonly #listeners = new Set<() => void>();

  /** One way. */
  cut(from: Endpoint, to: Endpoint): void {
    this.#cut.add(wayOf(from, to));
    this.#tell();
  }

  /** Cuts one off from others, both ways or only what it sends or only what it gets. */
  isolate(one: Endpoint, others: readonly Endpoint[], ways: 'both' | 'outgoing' | 'incoming' = 'both'): void {
    for (const other of others) {
      if (other === one) continue;
      if (ways !== 'incoming') this.#cut.add(wayOf(one, other));
      if (ways !== 'outgoing') this.#cut.add(wayOf(other, one));
    }
    this.#tell();
  }

  delay(from: Endpoint, to: Endpoint, ms: number): void {
    this.#delays.set(wayOf(from, to), ms);
    this.#tell();
  }

  /** The answer to the next such request gets lost, once. Resolves when it was. */
  loseAnswer(answer: LostAnswer): Promise<void> {
    return new Promise((resolve) => this.#lost.push({ answer, onLost: resolve }));
  }

  /** All ways are whole and quick again; answers that have not been lost yet will not be. */
  heal(): void {
    this.#cut.clear();
    this.#delays.clear();
    this.#lost.length = 0;
    this.#tell();
  }

  isCut(from: Endpoint, to: Endpoint): boolean {
    return this.#cut.has(wayOf(from, to));
  }

  delayOf(from: Endpoint, to: Endpoint): number {
    return this.#delays.get(wayOf(from, to)) ?? 0;
  }

  /** For proxies: whether the answer to this request is one to lose. Asking takes it off the list. */
  takesAnswer(from: Endpoint, to: Endpoint, apiKey: number): (() => void) | null {
    const index = this.#lost.findIndex(
      ({ answer }) => answer.from === from && answer.to === to && answer.apiKey === apiKey,
    );
    return index < 0 ? null : (this.#lost.splice(index, 1)[0]?.onLost ?? null);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function wayOf(from: Endpoint, to: Endpoint): string {
  return `${from} > ${to}`;
}
