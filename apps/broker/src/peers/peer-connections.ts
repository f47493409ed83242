/** The connections of a `PeerChannel`: one to each peer, made anew where a peer has moved. */
import type { Api } from '@seatlog/kafka-protocol';
import type {
  Peer,
  PeerChannel,
  PeerChannelLimits,
  PeerChannelOptions,
  PeerOutcome,
} from './peer-channel.ts';
import { PeerConnection } from './peer-connection.ts';

const DEFAULT_LIMITS: PeerChannelLimits = {
  connectTimeoutMs: 10_000,
  reconnectBackoffMs: 50,
  reconnectBackoffMaxMs: 1000,
  maxInFlight: 1000,
  maxAnswerBytes: 100 * 1024 * 1024,
};

export function peerChannel(options: PeerChannelOptions): PeerChannel {
  return new PeerConnections(options);
}

class PeerConnections implements PeerChannel {
  readonly #options: PeerChannelOptions;
  readonly #limits: PeerChannelLimits;
  readonly #byPeer = new Map<number, PeerConnection>();
  #isClosed = false;

  constructor(options: PeerChannelOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  send<Response, RequestIn>(
    peer: Peer,
    api: Api<unknown, Response, RequestIn, never>,
    version: number,
    body: RequestIn,
    { timeoutMs }: { readonly timeoutMs: number },
    done: (outcome: PeerOutcome<Response>) => void,
  ): void {
    if (this.#isClosed) {
      this.#options.timers.schedule(0, () => done({ kind: 'failed', reason: 'this node stops' }));
      return;
    }
    this.#connectionTo(peer).send(api, version, body, timeoutMs, done);
  }

  disconnect(peerId: number): void {
    this.#byPeer.get(peerId)?.close('it was disconnected');
    this.#byPeer.delete(peerId);
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#byPeer.values()) connection.close('this node stops');
    this.#byPeer.clear();
  }

  #connectionTo(peer: Peer): PeerConnection {
    const known = this.#byPeer.get(peer.id);
    if (known !== undefined && known.peer.host === peer.host && known.peer.port === peer.port) return known;
    known?.close('the peer has another address now');
    const connection = new PeerConnection(peer, this.#options, this.#limits);
    this.#byPeer.set(peer.id, connection);
    return connection;
  }
}
