/**
 * What the controller does for one partition, as far as replication sees it: registers, fences and stops brokers, elects
 * leaders from ISR and ELR, accepts or refuses proposals. One decision after another, each published at once.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { isActive, type KnownBroker, NO_LEADER, type PartitionMetadata } from '../cluster-view.ts';
import type { AlterPartitionRequest, AlterPartitionResponse } from '../isr/alter-partition-channel.ts';

export interface SimulatedPartition extends PartitionMetadata {
  readonly elr: readonly number[];
  readonly lastKnownElr: readonly number[];
}

/** All metadata at one moment. */
export interface SimulatedImage {
  readonly version: number;
  readonly brokers: ReadonlyMap<number, KnownBroker>;
  readonly partition: SimulatedPartition;
  readonly minInsyncReplicas: number;
}

interface Targets {
  readonly isr?: readonly number[];
  readonly uncleanlyStopped?: number;
  readonly leaderRecoveryState?: number;
}

export class ControllerStandIn {
  readonly topicId: string;
  readonly #published: (image: SimulatedImage) => void;
  #image: SimulatedImage;

  constructor(
    topicId: string,
    replicas: readonly number[],
    minInsyncReplicas: number,
    published: (image: SimulatedImage) => void,
  ) {
    this.topicId = topicId;
    this.#published = published;
    this.#image = {
      version: 0,
      brokers: new Map(),
      minInsyncReplicas,
      partition: {
        leader: NO_LEADER,
        leaderEpoch: -1,
        partitionEpoch: -1,
        replicas,
        isr: replicas,
        elr: [],
        lastKnownElr: [],
        leaderRecoveryState: 0,
      },
    };
  }

  get image(): SimulatedImage {
    return this.#image;
  }

  /** The partition comes into being with all of its brokers live. */
  create(): void {
    const { partition } = this.#image;
    const [leader = NO_LEADER] = partition.replicas;
    this.#publish({ partition: { ...partition, leader, leaderEpoch: 0, partitionEpoch: 0 } });
  }

  /** Gives the epoch of the registration, which begins fenced. */
  register(brokerId: number, previousBrokerEpoch: number): number {
    const before = this.#image.brokers.get(brokerId);
    const epoch = this.#image.version + 1;
    const isClean = before === undefined || before.epoch === previousBrokerEpoch;
    this.#setBroker(brokerId, { epoch, fenced: true, inControlledShutdown: false });
    if (before !== undefined) this.#takeOut(brokerId, isClean ? undefined : brokerId);
    return epoch;
  }

  unfence(brokerId: number, epoch: number): void {
    const broker = this.#image.brokers.get(brokerId);
    if (broker?.epoch !== epoch || !broker.fenced) return;
    this.#setBroker(brokerId, { ...broker, fenced: false });
    if (this.#image.partition.leader === NO_LEADER) this.#change({});
  }

  fence(brokerId: number): void {
    const broker = this.#image.brokers.get(brokerId);
    if (broker === undefined || broker.fenced) return;
    this.#setBroker(brokerId, { ...broker, fenced: true });
    this.#takeOut(brokerId);
  }

  beginControlledShutdown(brokerId: number, epoch: number): void {
    const broker = this.#image.brokers.get(brokerId);
    if (broker?.epoch !== epoch) return;
    this.#setBroker(brokerId, { ...broker, inControlledShutdown: true });
    this.#takeOut(brokerId);
  }

  /** Where the ISR is large enough by the changed minimum, nobody outside of it is eligible any more. */
  configure(minInsyncReplicas: number): void {
    const { partition } = this.#image;
    const isEnough = partition.isr.length >= Math.min(minInsyncReplicas, partition.replicas.length);
    if (!isEnough || partition.elr.length + partition.lastKnownElr.length === 0) {
      this.#publish({ minInsyncReplicas });
      return;
    }
    const partitionEpoch = partition.partitionEpoch + 1;
    this.#publish({
      minInsyncReplicas,
      partition: { ...partition, partitionEpoch, elr: [], lastKnownElr: [] },
    });
  }

  /** Moves leadership to a live member of the ISR, as an operator may. */
  elect(brokerId: number): void {
    const { partition } = this.#image;
    if (partition.leader === brokerId || !partition.isr.includes(brokerId) || !this.#mayLead(brokerId))
      return;
    this.#record({ ...partition, leader: brokerId });
  }

  alterPartition(request: AlterPartitionRequest): AlterPartitionResponse {
    const sender = this.#image.brokers.get(request.brokerId);
    if (sender?.epoch !== request.brokerEpoch) {
      return { throttleTimeMs: 0, errorCode: ErrorCode.STALE_BROKER_EPOCH, topics: [] };
    }
    const topics = request.topics.map(({ topicId = '', partitions }) => ({
      topicId,
      partitions: partitions.map((proposal) => {
        const isr = (proposal.newIsrWithEpochs ?? []).map(({ brokerId = -1, brokerEpoch = -1 }) => ({
          brokerId,
          brokerEpoch,
        }));
        const { leaderEpoch, partitionEpoch } = proposal;
        const errorCode = this.#refusal(request.brokerId, { leaderEpoch, partitionEpoch, isr });
        if (errorCode === ErrorCode.NONE) {
          const { leaderRecoveryState } = proposal;
          this.#change({
            isr: isr.map((member) => member.brokerId),
            ...(leaderRecoveryState === undefined ? {} : { leaderRecoveryState }),
          });
        }
        const { partition } = this.#image;
        return {
          partitionIndex: proposal.partitionIndex,
          errorCode,
          leaderId: partition.leader,
          leaderEpoch: partition.leaderEpoch,
          isr: [...partition.isr],
          leaderRecoveryState: partition.leaderRecoveryState,
          partitionEpoch: partition.partitionEpoch,
        };
      }),
    }));
    return { throttleTimeMs: 0, errorCode: ErrorCode.NONE, topics };
  }

  #refusal(
    sender: number,
    proposal: {
      readonly leaderEpoch: number;
      readonly partitionEpoch: number;
      readonly isr: readonly { readonly brokerId: number; readonly brokerEpoch: number }[];
    },
  ): number {
    const { partition, brokers } = this.#image;
    const ids = proposal.isr.map((member) => member.brokerId);
    if (proposal.leaderEpoch > partition.leaderEpoch || proposal.partitionEpoch > partition.partitionEpoch) {
      return ErrorCode.NOT_CONTROLLER;
    }
    if (proposal.leaderEpoch < partition.leaderEpoch) return ErrorCode.FENCED_LEADER_EPOCH;
    if (sender !== partition.leader) return ErrorCode.INVALID_REQUEST;
    if (proposal.partitionEpoch < partition.partitionEpoch) return ErrorCode.INVALID_UPDATE_VERSION;
    if (!ids.includes(sender) || !ids.every((id) => partition.replicas.includes(id))) {
      return ErrorCode.INVALID_REQUEST;
    }
    const isIneligible = proposal.isr.some(({ brokerId, brokerEpoch }) => {
      const broker = brokers.get(brokerId);
      return !isActive(broker) || (brokerEpoch !== -1 && brokerEpoch !== broker?.epoch);
    });
    return isIneligible ? ErrorCode.INELIGIBLE_REPLICA : ErrorCode.NONE;
  }

  #takeOut(brokerId: number, uncleanlyStopped?: number): void {
    const { partition } = this.#image;
    const isHeld = partition.isr.includes(brokerId) || partition.leader === brokerId;
    if (!isHeld && !(uncleanlyStopped !== undefined && partition.elr.includes(brokerId))) return;
    const isr = partition.isr.filter((id) => id !== brokerId);
    this.#change({ isr, ...(uncleanlyStopped === undefined ? {} : { uncleanlyStopped }) });
  }

  /** R20: brings the partition to its ISR, and to the right leader. */
  #change({ isr: wanted, uncleanlyStopped, leaderRecoveryState: told }: Targets): void {
    const { partition, minInsyncReplicas } = this.#image;
    const recoveryState = told ?? partition.leaderRecoveryState;
    const isrBefore = wanted ?? partition.isr;
    const elrBefore = partition.elr.filter((id) => id !== uncleanlyStopped);
    const candidates = isrBefore.length > 0 ? isrBefore : elrBefore;
    const isValid = (id: number): boolean => candidates.includes(id) && this.#mayLead(id);
    const clean = isValid(partition.leader) ? partition.leader : partition.replicas.find(isValid);
    const [lastKnown] = partition.lastKnownElr;
    const isLastResort = candidates.length === 0 && lastKnown !== undefined && this.#mayLead(lastKnown);
    const leader = clean ?? (isLastResort ? lastKnown : NO_LEADER);
    const isr = leader === NO_LEADER || isrBefore.includes(leader) ? isrBefore : [leader];
    const isEnough = isr.length >= Math.min(minInsyncReplicas, partition.replicas.length);
    const left = [...new Set([...partition.elr, ...partition.isr])].filter(
      (id) => !isr.includes(id) && id !== uncleanlyStopped,
    );
    const losesLast = leader === NO_LEADER && partition.leader !== NO_LEADER && isr.length === 0;
    const lastKnownElr = losesLast ? [partition.leader] : partition.lastKnownElr;
    this.#record({
      ...partition,
      leader,
      isr,
      elr: isEnough ? [] : left,
      lastKnownElr: isEnough ? [] : lastKnownElr,
      leaderRecoveryState: isLastResort && clean === undefined ? 1 : recoveryState,
    });
  }

  #mayLead(id: number): boolean {
    return isActive(this.#image.brokers.get(id));
  }

  #record(next: SimulatedPartition): void {
    const { partition } = this.#image;
    const isSame =
      next.leader === partition.leader &&
      next.leaderRecoveryState === partition.leaderRecoveryState &&
      JSON.stringify([next.isr, next.elr, next.lastKnownElr]) ===
        JSON.stringify([partition.isr, partition.elr, partition.lastKnownElr]);
    if (isSame) return;
    this.#publish({
      partition: {
        ...next,
        partitionEpoch: partition.partitionEpoch + 1,
        leaderEpoch: partition.leaderEpoch + (next.leader === partition.leader ? 0 : 1),
      },
    });
  }

  #setBroker(brokerId: number, broker: KnownBroker): void {
    this.#publish({ brokers: new Map(this.#image.brokers).set(brokerId, broker) });
  }

  #publish(change: Partial<SimulatedImage>): void {
    this.#image = { ...this.#image, ...change, version: this.#image.version + 1 };
    this.#published(this.#image);
  }
}
