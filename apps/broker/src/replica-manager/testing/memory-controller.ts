/**
 * The active controller of a cluster in memory: the real decisions on a `MemoryQuorum`, each committed at once. What
 * brokers ask of it the handlers of a controller's listener answer.
 */
import type { Api } from '@seatlog/kafka-protocol';
import {
  beginControlledShutdown,
  bootstrapRecords,
  type ChangeOutcome,
  type ClusterImage,
  createTopics,
  type Decision,
  fenceBroker,
  incrementalAlterConfigs,
  randomUuid,
  registerBroker,
  ResourceType,
  unfenceBroker,
} from '@seatlog/metadata-quorum';
import { SeededRandom } from '@seatlog/runtime/testing';
import { controllerSchema } from '../../config/controller-schema.ts';
import { loadConfig } from '../../config/load.ts';
import { alterPartition } from '../../controller/handlers/56-alter-partition.ts';
import { assignReplicasToDirs } from '../../controller/handlers/73-assign-replicas-to-dirs.ts';
import { MemoryQuorum } from '../../controller/testing/memory-quorum.ts';
import type { RequestContext } from '../../handlers/handler.ts';
import type { ImageListener } from '../../metadata/metadata-service.ts';
import type { PeerOutcome } from '../../peers/peer-channel.ts';
import type { ControllerServices } from '../../quorum/controller-services.ts';
import type { ControllerRequests } from '../../controller/controller-requests.ts';

const HANDLERS = [alterPartition, assignReplicasToDirs];

export interface BrokerAddress {
  readonly id: number;
  readonly port: number;
  readonly rack: string | null;
}

export class MemoryController {
  readonly schema = controllerSchema(loadConfig({}).config);
  readonly #random = new SeededRandom(7);
  readonly #quorum = new MemoryQuorum();
  /** Requests of brokers, each answered when the test says so while `holds` is set. */
  holds = false;
  #held: (() => void)[] = [];

  constructor() {
    this.change((image) => ({ records: bootstrapRecords(image), answer: null }));
  }

  get image(): ClusterImage {
    return this.#quorum.image;
  }

  subscribe(listener: ImageListener): () => void {
    return this.#quorum.subscribe(listener);
  }

  change<Answer>(
    decide: (image: ClusterImage) => Decision<Answer>,
    done: (outcome: ChangeOutcome<Answer>) => void = () => {},
  ): void {
    this.#quorum.change(decide, done);
  }

  /** Gives the epoch. */
  register({ id, port, rack }: BrokerAddress, previousBrokerEpoch: number): number {
    const request = {
      brokerId: id,
      incarnationId: randomUuid(this.#random),
      endpoints: [{ name: 'PLAINTEXT', host: `broker-${id}`, port, securityProtocol: 0 }],
      features: [],
      rack,
      logDirs: [randomUuid(this.#random)],
      previousBrokerEpoch,
    };
    this.change((image) => registerBroker(image, request, { schema: this.schema, sessionAlive: false }));
    return this.epochOf(id);
  }

  unfence(id: number): void {
    this.change((image) => unfenceBroker(image, id, this.epochOf(id), this.schema));
  }

  fence(id: number): void {
    this.change((image) => fenceBroker(image, id, this.epochOf(id), this.schema));
  }

  beginShutdown(id: number): void {
    this.change((image) => beginControlledShutdown(image, id, this.epochOf(id), this.schema));
  }

  createTopic(
    name: string,
    assignments: readonly (readonly number[])[],
    configs: Readonly<Record<string, string>> = {},
  ): void {
    const topic = {
      name,
      numPartitions: -1,
      replicationFactor: -1,
      assignments: assignments.map((brokerIds, partitionIndex) => ({ partitionIndex, brokerIds })),
      configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
    };
    const context = {
      defaults: { numPartitions: 1, replicationFactor: 1 },
      schema: this.schema,
      random: this.#random,
    };
    this.change((image) => createTopics(image, { topics: [topic], validateOnly: false }, context));
  }

  setTopicConfig(resourceName: string, name: string, value: string): void {
    const configs = [{ name, configOperation: 0, value }];
    const resources = [{ resourceType: ResourceType.TOPIC, resourceName, configs }];
    this.change((image) => incrementalAlterConfigs(image, { resources, validateOnly: false }, this.schema));
  }

  /** The way of a broker's requests to this controller; `later` runs the answer in a turn of its own. */
  requestsOf(later: (action: () => void) => void): ControllerRequests {
    return {
      send: <Response, RequestIn>(
        api: Api<unknown, Response, RequestIn, never>,
        version: number,
        body: RequestIn,
        _options: { readonly timeoutMs: number },
        done: (outcome: PeerOutcome<Response>) => void,
      ): void => {
        const handler = HANDLERS.find((definition) => definition.api.key === api.key);
        if (handler === undefined) throw new Error(`${api.name} is not served here`);
        // The handlers use no more of a controller than this.
        const services = { metadata: this.#quorum, topicCreation: { schema: this.schema } } as unknown;
        const handle = handler.create(services as ControllerServices);
        const context = { apiVersion: version } as RequestContext;
        const serve = (): void =>
          handle(body, context, (response) =>
            // The handler is that of the api, so its answer is too.
            done({ kind: 'answered', response: response as Response }),
          );
        later(() => (this.holds ? this.#held.push(serve) : serve()));
      },
    };
  }

  get heldCount(): number {
    return this.#held.length;
  }

  /** Serves what was held. */
  release(): void {
    this.holds = false;
    for (const serve of this.#held.splice(0)) serve();
  }

  epochOf(id: number): number {
    return this.image.brokers.get(id)?.epoch ?? -1;
  }
}
