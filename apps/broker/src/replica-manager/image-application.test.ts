import type { LogDirectory } from '@seatlog/commit-log';
import {
  type ClusterImage,
  createTopics,
  type Decision,
  deleteTopics,
  emptyImage,
  foldAll,
  registerBroker,
  unfenceBroker,
} from '@seatlog/metadata-quorum';
import {
  ManualClock,
  ManualTurns,
  MemoryFileSystem,
  MemoryNetwork,
  SeededRandom,
} from '@seatlog/runtime/testing';
import { expect, it } from 'vitest';
import { openNodeDirectory } from '../broker-directory.ts';
import { controllerSchema } from '../config/controller-schema.ts';
import { loadConfig } from '../config/load.ts';
import { silentLogger } from '../logger.ts';
import { createMetrics } from '../metrics.ts';
import { ImageApplication } from './image-application.ts';
import { LocalReplicas } from './local-replicas.ts';

const { config } = loadConfig({ overrides: new Map([['log.dir', '/logs']]) });
const schema = controllerSchema(config);
const random = new SeededRandom(1);
const NODE = 1;

/** What one broker lives by. */
class Metadata {
  image: ClusterImage = emptyImage;

  constructor() {
    const { brokerEpoch } = this.decide(
      registerBroker(
        this.image,
        {
          brokerId: NODE,
          incarnationId: 'AAAAAAAAAAAAAAAAAAAABQ',
          endpoints: [{ name: 'PLAINTEXT', host: 'memory', port: 9092, securityProtocol: 0 }],
          features: [],
          rack: null,
          logDirs: [],
          previousBrokerEpoch: -1,
        },
        { schema, sessionAlive: false },
      ),
    );
    this.decide(unfenceBroker(this.image, NODE, brokerEpoch, schema));
  }

  decide<Answer>({ records, answer }: Decision<Answer>): Answer {
    this.image = foldAll(this.image, records, this.image.lastOffset + records.length, 1);
    return answer;
  }

  create(name: string): string {
    const topics = [{ name, numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] }];
    const defaults = { numPartitions: 1, replicationFactor: 1 };
    const [created] = this.decide(
      createTopics(this.image, { topics, validateOnly: false }, { defaults, schema, random }),
    );
    return created?.topicId ?? '';
  }

  delete(name: string): void {
    const topicId = this.image.topics.get(name)?.id ?? '';
    this.decide(deleteTopics(this.image, [{ name: null, topicId }]));
  }
}

class Process {
  readonly turns = new ManualTurns();
  readonly directory: LogDirectory;
  readonly application: ImageApplication;

  constructor(fileSystem: MemoryFileSystem) {
    const clock = new ManualClock();
    const { turns } = this;
    const ports = { fileSystem, clock, timers: clock, turns, random, network: new MemoryNetwork(turns) };
    const replicas = new LocalReplicas({ ...ports, config, log: silentLogger, metrics: createMetrics() });
    this.directory = openNodeDirectory(config, ports, replicas, silentLogger);
    this.application = new ImageApplication({
      ...ports,
      nodeId: NODE,
      directory: this.directory,
      replicas,
      config,
      log: silentLogger,
    });
  }

  /** Loads in line with the image; what happens meanwhile comes between two turns. */
  async load(image: ClusterImage, meanwhile: () => void = () => {}): Promise<void> {
    const loaded = this.application.load(image);
    meanwhile();
    this.turns.endAll();
    await loaded;
  }

  get topicIds(): readonly (string | null)[] {
    return [...this.directory.partitions()].map(({ topicId }) => topicId);
  }
}

it('applies what was decided while logs were being loaded: topics that are gone, and others of their names', async () => {
  const files = new MemoryFileSystem();
  const metadata = new Metadata();
  const [kept, , again] = ['kept', 'gone', 'again'].map((name) => metadata.create(name));
  const first = new Process(files);
  await first.load(metadata.image);
  first.application.apply(metadata.image);
  expect(first.topicIds).toHaveLength(6);
  files.crash({ kind: 'process' });

  const second = new Process(files);
  expect(second.application.progress).toBe(null);
  let other = '';
  await second.load(metadata.image, () => {
    expect(second.application.progress).toEqual({ partitions: 6, loaded: 0 });
    metadata.delete('gone');
    metadata.delete('again');
    other = metadata.create('again');
  });
  expect(second.application.progress).toBe(null);
  expect(second.directory.get('gone', 0)).toBeDefined();
  second.application.apply(metadata.image);
  expect([second.topicIds.length, new Set(second.topicIds)]).toEqual([4, new Set([kept, other])]);
  expect(second.directory.get('gone', 0)).toBeUndefined();
  expect(other).not.toBe(again);
});
