/**
 * A cluster behind the Connector port, for tests: brokers in this process that speak the wire, on a virtual clock. Each
 * request can be tampered with on its way in and on its way out.
 */
import {
  decodeRequestBody,
  decodeRequestHeader,
  encodeResponse,
  FrameSplitter,
  type AnyApi,
  type Api,
} from '@seatlog/kafka-protocol';
import type { Connector, Link, LinkEvents } from '../ports.ts';
import { scriptedHandlers, type ScriptedHandlers } from './scripted-handlers.ts';
import { ScriptedPartition } from './scripted-partition.ts';
import type { VirtualWorld } from './virtual-world.ts';

/** What to do with a request: handle it, lose it, or handle it and lose the answer. `close` ends the connection. */
export type Fate =
  | 'serve'
  | 'swallow'
  | 'close before'
  | 'close after'
  | 'swallow the answer'
  /** Answered with this body, not handled. */
  | { readonly answer: unknown }
  /** Handled, and answered with what becomes of the handler's answer. */
  | { readonly garble: (response: unknown) => unknown };

export interface SeenRequest {
  readonly brokerId: number;
  readonly api: AnyApi;
  readonly version: number;
  readonly body: unknown;
}

export interface ScriptedTopic {
  readonly name: string;
  readonly topicId: string;
  readonly partitions: ScriptedPartition[];
  internal: boolean;
}

export class ScriptedCluster {
  readonly world: VirtualWorld;
  readonly brokerIds: readonly number[];
  readonly topics = new Map<string, ScriptedTopic>();
  readonly requests: SeenRequest[] = [];
  readonly handlers: ScriptedHandlers;
  readonly down = new Set<number>();
  readonly connector: Connector;
  fate: (request: SeenRequest) => Fate = () => 'serve';
  latencyMs = 1;
  readonly #connections = new Set<ScriptedConnection>();

  constructor(world: VirtualWorld, brokerCount = 1) {
    this.world = world;
    this.brokerIds = Array.from({ length: brokerCount }, (_, index) => index + 1);
    this.handlers = scriptedHandlers(this);
    this.connector = { open: (host, _port, events) => this.#open(host, events) };
  }

  createTopic(name: string, partitionCount: number): ScriptedTopic {
    const id = Buffer.alloc(16);
    id.writeInt32BE(this.topics.size + 1, 12);
    const topic = {
      name,
      topicId: id.toString('base64url'),
      internal: false,
      partitions: Array.from({ length: partitionCount }, (_, partition) => {
        return new ScriptedPartition(this.brokerIds[partition % this.brokerIds.length] as number);
      }),
    };
    this.topics.set(name, topic);
    return topic;
  }

  partition(topic: string, partition: number): ScriptedPartition {
    const found = this.topics.get(topic)?.partitions[partition];
    if (found === undefined) throw new Error(`the script has no ${topic}-${partition}`);
    return found;
  }

  countOf(apiName: string): number {
    return this.requests.filter(({ api }) => api.name === apiName).length;
  }

  /** The broker refuses connections and drops those it has. */
  stop(brokerId: number): void {
    this.down.add(brokerId);
    this.disconnect(brokerId);
  }

  start(brokerId: number): void {
    this.down.delete(brokerId);
  }

  disconnect(brokerId: number): void {
    for (const connection of Array.from(this.#connections))
      if (connection.brokerId === brokerId) connection.end();
  }

  forget(connection: ScriptedConnection): void {
    this.#connections.delete(connection);
  }

  #open(host: string, events: LinkEvents): Link {
    const brokerId =
      host === 'bootstrap' ? (this.brokerIds.find((id) => !this.down.has(id)) ?? 1) : Number(host.slice(7));
    const connection = new ScriptedConnection(this, brokerId, events);
    if (this.down.has(brokerId)) this.world.schedule(this.latencyMs, () => connection.end());
    else this.#connections.add(connection);
    return connection;
  }
}

class ScriptedConnection implements Link {
  readonly brokerId: number;
  readonly pendingBytes = 0;
  readonly #cluster: ScriptedCluster;
  readonly #events: LinkEvents;
  readonly #splitter = new FrameSplitter();
  #ended = false;

  constructor(cluster: ScriptedCluster, brokerId: number, events: LinkEvents) {
    this.#cluster = cluster;
    this.brokerId = brokerId;
    this.#events = events;
    cluster.world.schedule(cluster.latencyMs, () => {
      if (!this.#ended && !cluster.down.has(brokerId)) events.connected();
    });
  }

  write(parts: readonly Uint8Array[]): void {
    // A copy is what a socket would have sent by now; the sender may use its buffers again once it was answered.
    const bytes = Buffer.concat(parts);
    this.#cluster.world.schedule(this.#cluster.latencyMs, () => {
      if (!this.#ended)
        this.#splitter.push(bytes, (frame, borrowed) => this.#serve(borrowed ? Buffer.from(frame) : frame));
    });
  }

  destroy(): void {
    this.#ended = true;
    this.#cluster.forget(this);
  }

  end(): void {
    if (this.#ended) return;
    this.destroy();
    this.#events.closed(null);
  }

  #serve(frame: Uint8Array): void {
    if (this.#ended) return;
    const header = decodeRequestHeader(frame);
    const { api, apiVersion: version, correlationId } = header;
    if (api === undefined || !header.supported) throw new Error(`unsupported ${header.apiKey} v${version}`);
    const body = decodeRequestBody(api, header, frame);
    const request = { brokerId: this.brokerId, api, version, body };
    this.#cluster.requests.push(request);
    const fate = this.#cluster.fate(request);
    if (fate === 'close before') {
      this.end();
      return;
    }
    if (fate === 'swallow') return;
    const answer = (response: unknown): void => {
      if (response !== null) this.#answer(api, version, correlationId, response);
    };
    if (typeof fate === 'object' && 'answer' in fate) {
      answer(fate.answer);
      return;
    }
    this.#cluster.handlers.handle(request, (response) => {
      if (typeof fate === 'object') answer(fate.garble(response));
      else if (fate === 'serve') answer(response);
      else if (fate === 'close after') this.end();
    });
  }

  #answer(api: AnyApi, version: number, correlationId: number, response: unknown): void {
    const bytes = Buffer.concat(
      encodeResponse(api as Api<unknown, unknown, never, unknown>, version, correlationId, response),
    );
    this.#cluster.world.schedule(this.#cluster.latencyMs, () => this.#deliver(bytes));
  }

  #deliver(bytes: Uint8Array): void {
    for (let position = 0; position < bytes.length && !this.#ended; ) {
      const target = this.#events.target();
      const length = Math.min(target.length, bytes.length - position);
      target.set(bytes.subarray(position, position + length));
      position += length;
      this.#events.received(length);
    }
  }
}
