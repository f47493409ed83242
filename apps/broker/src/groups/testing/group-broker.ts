/**
 * A broker for tests of groups: the real coordinator and handlers, real metadata decisions, offsets partitions in
 * memory, time that stands still. Turns end by themselves after each request unless loading is held up.
 */
import { type Api, ZERO_UUID } from '@seatlog/kafka-protocol';
import { createTopics, deleteTopics, GROUP_OFFSETS_TOPIC } from '@seatlog/metadata-quorum';
import { ManualClock, ManualTurns } from '@seatlog/runtime/testing';
import type { HandlerDefinition } from '../../handlers/handler.ts';
import { createLogger } from '../../logger.ts';
import type { MetadataService } from '../../metadata/metadata-service.ts';
import { MemoryBroker } from '../../metadata/testing/memory-broker.ts';
import { GroupCoordinator } from '../group-coordinator.ts';
import { MemoryReplicas } from './memory-replicas.ts';

const ONE_REPLICA = {
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '5',
};

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export class GroupBroker {
  readonly broker: MemoryBroker;
  readonly replicas: MemoryReplicas;
  readonly clock = new ManualClock();
  readonly turns = new ManualTurns();
  readonly lines: LogLine[] = [];
  readonly metadata: MetadataService;
  groups: GroupCoordinator;

  constructor(overrides: Readonly<Record<string, string>> = {}) {
    this.broker = new MemoryBroker({ ...ONE_REPLICA, ...overrides });
    this.replicas = new MemoryReplicas(this.broker.services.config);
    this.metadata = this.broker.metadata;
    // Replicas, then listeners, then the answer: the order that the broker keeps.
    this.metadata.subscribe((image) => this.replicas.apply(image));
    this.groups = this.#start();
  }

  /** The process ends and another begins: the partitions remain. */
  restart(): void {
    this.groups.stop();
    this.groups = this.#start();
  }

  endTurns(): void {
    this.turns.endAll();
  }

  createTopic(name: string, numPartitions = 3): void {
    const topic = { name, numPartitions, replicationFactor: 1, assignments: [], configs: [] };
    const { topicCreation } = this.broker.services;
    this.metadata.change(
      (image) => createTopics(image, { topics: [topic], validateOnly: false }, topicCreation),
      () => {},
    );
    this.endTurns();
  }

  deleteTopic(name: string): void {
    this.metadata.change(
      (image) => deleteTopics(image, [{ name, topicId: ZERO_UUID }]),
      () => {},
    );
  }

  /** `__consumer_offsets` comes into being. */
  createOffsetsTopic(): void {
    this.groups.findCoordinator('any', 'PLAINTEXT', () => {});
    this.endTurns();
  }

  client<Request, Response, RequestIn, ResponseIn>(
    api: Api<Request, Response, RequestIn, ResponseIn>,
    definition: HandlerDefinition,
  ) {
    return this.broker.client(api, definition);
  }

  offsetsPartition(index: number) {
    return this.replicas.memory(GROUP_OFFSETS_TOPIC, index);
  }

  #start(): GroupCoordinator {
    const log = createLogger(this.clock, 'debug', (line) => this.lines.push(JSON.parse(line) as LogLine));
    const { config, automaticTopics } = this.broker.services;
    const { clock, turns, replicas, metadata } = this;
    const options = { config, clock, timers: clock, turns, log, replicas, metadata, automaticTopics };
    const groups = new GroupCoordinator(options);
    Object.assign(this.broker.services, { ...options, groups });
    groups.start();
    return groups;
  }
}
