/**
 * What the active controller does for brokers and operators: the decisions of metadata-quorum, one after another, and
 * the sessions of brokers. It lives for one term of one controller.
 */
import {
  alterPartitions,
  assignDirectories,
  type AssignDirectoriesRequest,
  balanceLeaders,
  beginControlledShutdown,
  bootstrapRecords,
  type BrokerAnswer,
  type ChangeOutcome,
  type ClusterImage,
  ConfigOperation,
  type ConfigSchema,
  createTopics,
  type Decision,
  ElectionType,
  electLeaders,
  ELR_FEATURE,
  fenceBroker,
  incrementalAlterConfigs,
  isActive,
  type MetadataRecord,
  partitionChange,
  reassignPartitions,
  registerBroker,
  ResourceType,
  unfenceBroker,
} from '@seatlog/metadata-quorum';
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { AlterPartitionRequest, AlterPartitionResponse } from '@seatlog/replication';
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { SimulatedProcess } from '../process/simulated-process.ts';
import { type SimulationSettings, TOPIC } from '../simulation-settings.ts';
import { simulationSchema } from './config-schema.ts';

export type RunDecision = <Answer>(
  decide: (image: ClusterImage) => Decision<Answer>,
  done: (outcome: ChangeOutcome<Answer>) => void,
) => void;

export interface ControllerServiceOptions {
  readonly process: SimulatedProcess;
  readonly settings: SimulationSettings;
  readonly random: SeededRandom;
  /** Everything that is decided, committed or not. */
  readonly written: () => ClusterImage;
  readonly change: RunDecision;
}

export interface Registration {
  readonly brokerId: number;
  readonly incarnationId: string;
  readonly previousBrokerEpoch: number;
}

export interface Heartbeat {
  readonly brokerId: number;
  readonly brokerEpoch: number;
  readonly metadataOffset: number;
  readonly wantShutDown: boolean;
}

export interface HeartbeatAnswer {
  readonly errorCode: number;
  readonly shouldShutDown: boolean;
}

/** Of a broker's one log directory, in the form of a uuid. */
function directoryId(brokerId: number): string {
  return `simulatedDirectory${String(brokerId).padStart(3, '0')}A`;
}

const NO_ANSWER: BrokerAnswer = { errorCode: ErrorCode.NOT_CONTROLLER, errorMessage: null, brokerEpoch: -1 };

export class ControllerService {
  readonly #options: ControllerServiceOptions;
  readonly #schema: ConfigSchema;
  /** When each registered broker was heard of last, on this process's clock. */
  readonly #heard = new Map<number, number>();
  readonly #beganAtMs: number;
  #isOver = false;

  constructor(options: ControllerServiceOptions) {
    this.#options = options;
    this.#schema = simulationSchema(options.settings);
    this.#beganAtMs = options.process.moment.monotonic;
    this.#watchSessions();
  }

  /** The term is over: it decides nothing more of its own accord. */
  end(): void {
    this.#isOver = true;
  }

  bootstrap(): void {
    const { eligibleLeaderReplicas } = this.#options.settings;
    const isWanted = (record: MetadataRecord): boolean =>
      eligibleLeaderReplicas || record.type !== 'FeatureLevelRecord' || record.name !== ELR_FEATURE;
    // A feature at level 0 has no record.
    this.#decide((image) => ({ records: bootstrapRecords(image).filter(isWanted), answer: null }));
  }

  register(
    { brokerId, incarnationId, previousBrokerEpoch }: Registration,
    respond: (answer: BrokerAnswer) => void,
  ): void {
    const request = {
      brokerId,
      incarnationId,
      previousBrokerEpoch,
      endpoints: [],
      features: [],
      rack: null,
      logDirs: [directoryId(brokerId)],
    };
    const context = { schema: this.#schema, sessionAlive: this.#isHeard(brokerId) };
    this.#options.change(
      (image) => registerBroker(image, request, context),
      (outcome) => {
        if (outcome.kind === 'committed' && outcome.answer.errorCode === ErrorCode.NONE) this.#hear(brokerId);
        respond(outcome.kind === 'committed' ? outcome.answer : NO_ANSWER);
      },
    );
  }

  heartbeat(beat: Heartbeat, respond: (answer: HeartbeatAnswer) => void): void {
    const { brokerId, brokerEpoch, metadataOffset, wantShutDown } = beat;
    const broker = this.#options.written().brokers.get(brokerId);
    if (broker?.epoch !== brokerEpoch) {
      respond({ errorCode: ErrorCode.STALE_BROKER_EPOCH, shouldShutDown: false });
      return;
    }
    this.#hear(brokerId);
    if (wantShutDown) {
      this.#options.change(
        (image) => beginControlledShutdown(image, brokerId, brokerEpoch, this.#schema),
        (outcome) => {
          const isDone = outcome.kind === 'committed' && outcome.answer.errorCode === ErrorCode.NONE;
          respond({ errorCode: isDone ? 0 : ErrorCode.NOT_CONTROLLER, shouldShutDown: isDone });
        },
      );
      return;
    }
    if (broker.fenced && metadataOffset >= brokerEpoch) {
      this.#decide((image) => unfenceBroker(image, brokerId, brokerEpoch, this.#schema));
    }
    respond({ errorCode: 0, shouldShutDown: false });
  }

  alterPartition(request: AlterPartitionRequest, respond: (answer: AlterPartitionResponse) => void): void {
    const proposals = request.topics.flatMap(({ topicId = '', partitions }) =>
      partitions.map((it) => ({
        topicId,
        partitionIndex: it.partitionIndex,
        leaderEpoch: it.leaderEpoch,
        partitionEpoch: it.partitionEpoch,
        leaderRecoveryState: it.leaderRecoveryState ?? 0,
        isr: (it.newIsrWithEpochs ?? []).map(({ brokerId = -1, brokerEpoch = -1 }) => ({
          brokerId,
          brokerEpoch,
        })),
      })),
    );
    const { brokerId, brokerEpoch = -1 } = request;
    this.#options.change(
      (image) => alterPartitions(image, { brokerId, brokerEpoch, partitions: proposals }, this.#schema),
      (outcome) => {
        if (outcome.kind === 'failed') {
          respond({ throttleTimeMs: 0, errorCode: outcome.errorCode, topics: [] });
          return;
        }
        const { errorCode, partitions } = outcome.answer;
        const topics = partitions.map(({ topicId, partitionIndex, errorCode: code, partition }) => ({
          topicId,
          partitions: [
            {
              partitionIndex,
              errorCode: code,
              leaderId: partition?.leader ?? -1,
              leaderEpoch: partition?.leaderEpoch ?? -1,
              isr: [...(partition?.isr ?? [])],
              leaderRecoveryState: partition?.leaderRecoveryState ?? 0,
              partitionEpoch: partition?.partitionEpoch ?? -1,
            },
          ],
        }));
        respond({ throttleTimeMs: 0, errorCode, topics });
      },
    );
  }

  /** Answers whether it was heard. */
  assignDirectories(request: AssignDirectoriesRequest, respond: (isDone: boolean) => void): void {
    this.#options.change(
      (image) => assignDirectories(image, request, this.#schema),
      (outcome) => respond(outcome.kind === 'committed'),
    );
  }

  createTopic(): void {
    const { partitions, replicationFactor } = this.#options.settings;
    const topic = {
      name: TOPIC,
      numPartitions: partitions,
      replicationFactor,
      assignments: [],
      configs: [],
    };
    const context = {
      defaults: { numPartitions: partitions, replicationFactor },
      schema: this.#schema,
      random: this.#options.random,
    };
    this.#decide((image) => createTopics(image, { topics: [topic], validateOnly: false }, context));
  }

  configure(minInsyncReplicas: number): void {
    const alteration = {
      name: 'min.insync.replicas',
      configOperation: ConfigOperation.SET,
      value: String(minInsyncReplicas),
    };
    const resources = [{ resourceType: ResourceType.TOPIC, resourceName: TOPIC, configs: [alteration] }];
    this.#decide((image) => incrementalAlterConfigs(image, { resources, validateOnly: false }, this.#schema));
  }

  /** An operator moves a leadership to a live member of the ISR. */
  moveLeader(partition: number, brokerId: number): void {
    this.#decide((image) => {
      const topic = image.topics.get(TOPIC);
      const current = topic?.partitions[partition];
      const mayLead = current?.isr.includes(brokerId) === true && isActive(image.brokers.get(brokerId));
      const records: MetadataRecord[] =
        topic !== undefined && mayLead && current.leader !== brokerId
          ? [partitionChange(topic.id, partition, { leader: brokerId })]
          : [];
      return { records, answer: null };
    });
  }

  /** An operator moves a partition to other replicas, which takes till they are in sync. */
  reassign(partition: number, replicas: readonly number[]): void {
    const request = {
      allowReplicationFactorChange: true,
      topics: [{ name: TOPIC, partitions: [{ partitionIndex: partition, replicas }] }],
    };
    this.#decide((image) => reassignPartitions(image, request, this.#schema));
  }

  /** An operator gives a partition that waits for nobody any more to whoever is there. */
  electUncleanly(partition: number): void {
    const topicPartitions = [{ topic: TOPIC, partitions: [partition] }];
    const request = { electionType: ElectionType.UNCLEAN, topicPartitions };
    this.#decide((image) => electLeaders(image, request, this.#schema));
  }

  /** Leaderships go back to who is first in their assignments. */
  balance(): void {
    const settings = { imbalancePercentage: 0, maxElections: 100 };
    this.#decide((image) => balanceLeaders(image, settings, this.#schema));
  }

  #decide<Answer>(decide: (image: ClusterImage) => Decision<Answer>): void {
    this.#options.change(decide, () => {});
  }

  #hear(brokerId: number): void {
    this.#heard.set(brokerId, this.#options.process.moment.monotonic);
  }

  /** A broker that an earlier controller knew has its whole session time from the beginning of this term. */
  #isHeard(brokerId: number): boolean {
    const { process, settings, written } = this.#options;
    const last =
      this.#heard.get(brokerId) ??
      (written().brokers.get(brokerId)?.fenced === false ? this.#beganAtMs : null);
    return last !== null && process.moment.monotonic - last <= settings.sessionTimeoutMs;
  }

  #watchSessions(): void {
    const { process, settings, written } = this.#options;
    process.schedule(settings.sessionTimeoutMs / 4, 'session check', () => {
      if (this.#isOver) return;
      for (const { id, epoch, fenced } of written().brokers.values()) {
        if (!fenced && !this.#isHeard(id))
          this.#decide((image) => fenceBroker(image, id, epoch, this.#schema));
      }
      this.#watchSessions();
    });
  }
}
