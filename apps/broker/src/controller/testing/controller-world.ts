/**
 * An active controller for tests, with brokers that do nothing but what they are told: they register and send heartbeats
 * on a clock that the test moves.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import {
  alterPartitions,
  type ChangeOutcome,
  createTopics,
  partitionOf,
  randomUuid,
} from '@seatlog/metadata-quorum';
import { ManualClock, SeededRandom } from '@seatlog/runtime/testing';
import { controllerSchema } from '../../config/controller-schema.ts';
import { loadConfig } from '../../config/load.ts';
import { silentLogger } from '../../logger.ts';
import { createMetrics } from '../../metrics.ts';
import { ActiveControllerService } from '../active-controller-service.ts';
import type { HeartbeatAnswer } from '../heartbeat-decision.ts';
import { MemoryQuorum } from './memory-quorum.ts';

/** `broker.session.timeout.ms`. */
export const SESSION_MS = 9000;
/** `broker.heartbeat.interval.ms`. */
export const HEARTBEAT_MS = 2000;
export const CONTROLLER = 100;

function answerOf<Answer>(ask: (done: (outcome: ChangeOutcome<Answer>) => void) => void): Answer {
  const outcomes: ChangeOutcome<Answer>[] = [];
  ask((outcome) => outcomes.push(outcome));
  const [outcome] = outcomes;
  if (outcome?.kind !== 'committed') throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return outcome.answer;
}

export class ControllerWorld {
  readonly clock = new ManualClock();
  readonly random = new SeededRandom(3);
  readonly quorum: MemoryQuorum;
  readonly service: ActiveControllerService;
  readonly schema;
  readonly epochs = new Map<number, number>();

  constructor(nodeId = CONTROLLER) {
    this.quorum = new MemoryQuorum(nodeId);
    const { config } = loadConfig({});
    this.schema = controllerSchema(config);
    this.service = new ActiveControllerService({
      quorum: this.quorum,
      config,
      schema: this.schema,
      clock: this.clock,
      timers: this.clock,
      random: this.random,
      log: silentLogger,
      metrics: createMetrics(),
    });
  }

  register(brokerId: number, incarnationId = randomUuid(this.random), previousBrokerEpoch = -1) {
    const request = {
      brokerId,
      incarnationId,
      endpoints: [{ name: 'PLAINTEXT', host: `host-${brokerId}`, port: 9092, securityProtocol: 0 }],
      features: [],
      rack: null,
      logDirs: [],
      previousBrokerEpoch,
    };
    const answer = answerOf<{ errorCode: number; brokerEpoch: number }>((done) =>
      this.service.register(request, done),
    );
    if (answer.errorCode === ErrorCode.NONE) this.epochs.set(brokerId, answer.brokerEpoch);
    return answer;
  }

  beat(
    brokerId: number,
    more: { wantFence?: boolean; wantShutDown?: boolean; epoch?: number; offset?: number } = {},
  ): HeartbeatAnswer {
    return answerOf((done) =>
      this.service.heartbeat(
        {
          brokerId,
          brokerEpoch: more.epoch ?? this.epochs.get(brokerId) ?? -1,
          currentMetadataOffset: more.offset ?? this.quorum.image.lastOffset,
          wantFence: more.wantFence ?? false,
          wantShutDown: more.wantShutDown ?? false,
        },
        done,
      ),
    );
  }

  start(...brokerIds: readonly number[]): void {
    for (const brokerId of brokerIds) {
      this.register(brokerId);
      this.beat(brokerId);
    }
  }

  /** The quorum hears of its leader, which is this broker's controller, for the last time. */
  hearsLast(leaderId: number): void {
    const { epoch } = this.quorum.leader;
    this.quorum.leaderBefore = { leaderId, epoch, lastHeardMs: this.clock.monotonic() };
    this.quorum.lead(-1);
  }

  /** Time passes with heartbeats of these brokers. */
  pass(milliseconds: number, ...brokerIds: readonly number[]): void {
    for (let passed = 0; passed < milliseconds; passed += 500) {
      this.clock.advance(500);
      for (const brokerId of brokerIds) this.beat(brokerId);
    }
  }

  createTopic(name: string, replicationFactor: number): void {
    const topics = [{ name, numPartitions: 1, replicationFactor, assignments: [], configs: [] }];
    const context = {
      defaults: { numPartitions: 1, replicationFactor: 1 },
      schema: this.schema,
      random: this.random,
    };
    const [created] = answerOf<readonly { errorCode: number }[]>((done) =>
      this.quorum.change((image) => createTopics(image, { topics, validateOnly: false }, context), done),
    );
    if (created?.errorCode !== ErrorCode.NONE) throw new Error(`${name} was not created`);
  }

  /** The leader proposes an ISR. */
  propose(topic: string, isr: readonly number[]): void {
    const { leader, leaderEpoch, partitionEpoch } = this.partition(topic);
    const proposal = {
      topicId: this.quorum.image.topics.get(topic)?.id ?? '',
      partitionIndex: 0,
      leaderEpoch,
      partitionEpoch,
      isr: isr.map((brokerId) => ({ brokerId, brokerEpoch: -1 })),
      leaderRecoveryState: 0,
    };
    const sender = { brokerId: leader, brokerEpoch: this.epochs.get(leader) ?? -1 };
    const { partitions } = answerOf<{ partitions: readonly { errorCode: number }[] }>((done) =>
      this.quorum.change(
        (image) => alterPartitions(image, { ...sender, partitions: [proposal] }, this.schema),
        done,
      ),
    );
    if (partitions[0]?.errorCode !== ErrorCode.NONE) throw new Error(`the ISR of ${topic} stays`);
  }

  partition(topic: string) {
    const partition = partitionOf(this.quorum.image, topic, 0);
    if (partition === undefined) throw new Error(`there is no ${topic}`);
    return partition;
  }

  isFenced(brokerId: number): boolean | undefined {
    return this.quorum.image.brokers.get(brokerId)?.fenced;
  }
}
