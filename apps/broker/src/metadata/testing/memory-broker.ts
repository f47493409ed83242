/**
 * A broker for tests of handlers that need metadata: the real controller and configs, with a log that is committed at
 * once, or when the test says so. Requests and answers go through their codecs, so that what is tested is what a client
 * of that version sends and sees.
 */
import { type Api, ByteReader, ByteWriter } from '@seatlog/kafka-protocol';
import {
  bootstrapRecords,
  fenceBroker,
  randomUuid,
  registerBroker,
  unfenceBroker,
} from '@seatlog/metadata-quorum';
import { ManualClock, SeededRandom } from '@seatlog/runtime/testing';
import { controllerSchema } from '../../config/controller-schema.ts';
import { loadConfig } from '../../config/load.ts';
import { AutomaticTopics } from '../../controller/automatic-topics.ts';
import { directRequests } from '../../controller/testing/direct-requests.ts';
import { MemoryQuorum } from '../../controller/testing/memory-quorum.ts';
import type { HandlerDefinition, RequestContext } from '../../handlers/handler.ts';
import { silentLogger } from '../../logger.ts';
import { createMetrics } from '../../metrics.ts';
import type { ControllerServices } from '../../quorum/controller-services.ts';
import type { ReplicaManager } from '../../replica-manager/replica-manager.ts';
import type { BrokerServices } from '../../services.ts';

export type DeleteRecords = ReplicaManager['deleteRecords'];

export class MemoryBroker {
  readonly metadata = new MemoryQuorum(1);
  readonly clock = new ManualClock();
  readonly services: BrokerServices;
  /** What the replicas answer to DeleteRecords. */
  deleteRecords: DeleteRecords = (_topic, _partition, offset, _timeoutMs, done) => done(0, offset);

  constructor(overrides: Readonly<Record<string, string>> = {}) {
    const { config } = loadConfig({ overrides: new Map(Object.entries(overrides)) });
    const random = new SeededRandom(7);
    const schema = controllerSchema(config);
    const replicas: Pick<ReplicaManager, 'deleteRecords'> = {
      deleteRecords: (...request) => this.deleteRecords(...request),
    };
    const foundation = {
      config,
      clock: this.clock,
      timers: this.clock,
      random,
      log: silentLogger,
      metrics: createMetrics(),
      metadata: this.metadata,
      topicCreation: {
        defaults: {
          numPartitions: config.values['num.partitions'],
          replicationFactor: config.values['default.replication.factor'],
        },
        schema,
        random,
      },
    };
    // The controller's handlers that are asked here decide, and do no more.
    const controllerChannel = directRequests(foundation as unknown as ControllerServices);
    const services: Partial<BrokerServices> = {
      ...foundation,
      controllerChannel,
      automaticTopics: new AutomaticTopics({ ...foundation, controllerChannel }),
      // The handlers tested with it cut logs, and do nothing else with replicas.
      replicas: replicas as ReplicaManager,
    };
    // Handlers of metadata use no more of a broker than this.
    this.services = services as BrokerServices;
    this.metadata.change(
      (image) => ({ records: bootstrapRecords(image), answer: null }),
      () => {},
    );
    this.startBroker(1);
  }

  /** Adds a live broker to the cluster, reached as `host-<id>` on two listeners. */
  startBroker(
    id: number,
    options: { readonly rack?: string; readonly listeners?: readonly string[] } = {},
  ): void {
    const { random } = this.services;
    const { schema } = this.services.topicCreation;
    const listeners = options.listeners ?? ['PLAINTEXT', 'DOCKER'];
    const request = {
      brokerId: id,
      incarnationId: randomUuid(random),
      endpoints: listeners.map((name, place) => ({
        name,
        host: `${name.toLowerCase()}-${id}`,
        port: 9000 + 100 * place + id,
        securityProtocol: 0,
      })),
      features: [],
      rack: options.rack ?? null,
      logDirs: [randomUuid(random)],
      previousBrokerEpoch: -1,
    };
    this.metadata.change(
      (image) => registerBroker(image, request, { schema, sessionAlive: false }),
      () => {},
    );
    this.metadata.change(
      (image) => unfenceBroker(image, id, this.#epochOf(id), schema),
      () => {},
    );
  }

  fenceBroker(id: number): void {
    const { schema } = this.services.topicCreation;
    this.metadata.change(
      (image) => fenceBroker(image, id, this.#epochOf(id), schema),
      () => {},
    );
  }

  /** Appends records as they are. */
  setConfig(resourceType: number, resourceName: string, name: string, value: string): void {
    this.metadata.change(
      () => ({ records: [{ type: 'ConfigRecord', resourceType, resourceName, name, value }], answer: null }),
      () => {},
    );
  }

  /** A client of this broker: one handler at one version. `answers` grows as they are given. */
  client<Request, Response, RequestIn, ResponseIn>(
    api: Api<Request, Response, RequestIn, ResponseIn>,
    definition: HandlerDefinition,
  ) {
    const handle = definition.create(this.services);
    const send = (version: number, body: RequestIn, listenerName = 'PLAINTEXT') => {
      const writer = new ByteWriter();
      api.writeRequest(writer, version, body);
      const request = api.readRequest(new ByteReader(writer.toBytes()), version);
      const answers: Response[] = [];
      handle(request, requestContext(api.key, version, listenerName), (response) => {
        const written = new ByteWriter();
        // The definition is that of this api, so its answers are too.
        api.writeResponse(written, version, response as ResponseIn);
        answers.push(api.readResponse(new ByteReader(written.toBytes()), version));
      });
      return answers;
    };
    return {
      send,
      /** Sends a request that must be answered at once. */
      call(version: number, body: RequestIn, listenerName?: string): Response {
        const [answer, ...more] = send(version, body, listenerName);
        if (answer === undefined || more.length > 0)
          throw new Error(`${more.length} answers too many, or none`);
        return answer;
      },
    };
  }

  #epochOf(id: number): number {
    return this.metadata.image.brokers.get(id)?.epoch ?? -1;
  }
}

function requestContext(apiKey: number, apiVersion: number, listenerName: string): RequestContext {
  return {
    apiKey,
    apiVersion,
    correlationId: 1,
    clientId: 'test',
    listenerName,
    clientHost: '127.0.0.1',
    isConnected: () => true,
    onDisconnect: () => {},
    onSent: () => {},
    closeConnection: () => {},
  };
}
