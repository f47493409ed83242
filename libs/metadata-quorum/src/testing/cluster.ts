/**
 * Clusters for tests: an image that grows by decisions, checked after each of them.
 */
import { registerBroker, unfenceBroker } from '../controller/broker-lifecycle.ts';
import type { ConfigSchema } from '../controller/config-schema.ts';
import type { CreateTopicsContext, TopicToCreate } from '../controller/create-topics.ts';
import { createTopics } from '../controller/create-topics.ts';
import type { Decision } from '../controller/decision.ts';
import { bootstrapRecords } from '../controller/features.ts';
import { randomUuid } from '../controller/random-uuid.ts';
import type { ClusterImage, PartitionImage } from '../image/cluster-image.ts';
import { emptyImage, ResourceType } from '../image/cluster-image.ts';
import { foldAll } from '../image/image-draft.ts';
import type { MetadataRecord } from '../records/metadata-record.ts';
import type { Random } from '@seatlog/runtime';
import { SeededRandom } from '@seatlog/runtime/testing';

/** Knows three topic configs; broker configs may be anything but `broken`. */
export const testSchema: ConfigSchema = {
  problem(resourceType, _resourceName, configs) {
    for (const [name, value] of configs) {
      if (resourceType === ResourceType.BROKER) {
        if (name === 'broken') return 'broken cannot be changed';
        continue;
      }
      if (!['cleanup.policy', 'min.insync.replicas', 'unclean.leader.election.enable'].includes(name)) {
        return `unknown config ${name}`;
      }
      if (name === 'min.insync.replicas' && !/^[1-9]\d*$/.test(value))
        return `${value} is no positive number`;
      if (
        name === 'cleanup.policy' &&
        !value.split(',').every((word) => ['delete', 'compact'].includes(word))
      ) {
        return `${value} is no cleanup policy`;
      }
    }
    return null;
  },
  isList: (_resourceType, name) => name === 'cleanup.policy',
  defaultValue(_resourceType, name) {
    if (name === 'cleanup.policy') return 'delete';
    if (name === 'min.insync.replicas') return '1';
    return name === 'unclean.leader.election.enable' ? 'false' : null;
  },
};

export class TestCluster {
  image: ClusterImage = emptyImage;
  readonly random: Random;

  constructor(seed = 1) {
    this.random = new SeededRandom(seed);
    this.append(bootstrapRecords(this.image));
  }

  get context(): CreateTopicsContext {
    return { defaults: { numPartitions: 1, replicationFactor: 1 }, schema: testSchema, random: this.random };
  }

  append(records: readonly MetadataRecord[]): void {
    this.image = foldAll(this.image, records, this.image.lastOffset + records.length, 1);
  }

  decide<Answer>(decision: Decision<Answer>): Answer {
    this.append(decision.records);
    return decision.answer;
  }

  /** Registers a broker and lets it take part; gives its epoch. */
  start(id: number, rack: string | null = null, previousBrokerEpoch = -1): number {
    const epoch = this.register(id, rack, previousBrokerEpoch);
    this.decide(unfenceBroker(this.image, id, epoch, testSchema));
    return epoch;
  }

  register(id: number, rack: string | null = null, previousBrokerEpoch = -1): number {
    const { brokerEpoch, errorCode } = this.decide(
      registerBroker(
        this.image,
        {
          brokerId: id,
          incarnationId: randomUuid(this.random),
          endpoints: [{ name: 'PLAINTEXT', host: `host-${id}`, port: 9000 + id, securityProtocol: 0 }],
          features: [],
          rack,
          logDirs: [randomUuid(this.random)],
          previousBrokerEpoch,
        },
        { schema: testSchema, sessionAlive: false },
      ),
    );
    if (errorCode !== 0) throw new Error(`broker ${id} was refused with ${errorCode}`);
    return brokerEpoch;
  }

  create(name: string, topic: Partial<TopicToCreate> = {}): string {
    const [created] = this.decide(
      createTopics(this.image, { topics: [topicRequest(name, topic)], validateOnly: false }, this.context),
    );
    if (created?.errorCode !== 0) throw new Error(`topic ${name} was refused: ${created?.errorMessage}`);
    return created.topicId;
  }

  partition(name: string, index = 0): PartitionImage {
    const partition = this.image.topics.get(name)?.partitions[index];
    if (partition === undefined) throw new Error(`there is no partition ${name}-${index}`);
    return partition;
  }
}

export function topicRequest(name: string, topic: Partial<TopicToCreate> = {}): TopicToCreate {
  return { name, numPartitions: -1, replicationFactor: -1, assignments: [], configs: [], ...topic };
}
