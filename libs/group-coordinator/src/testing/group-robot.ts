/**
 * A client that behaves as clients do, on its own: joins, shares out when it leads, heartbeats, commits, and starts
 * over when it is told to. What it sees is noted in a ledger that holds all robots to the rules.
 */
import { decodeAssignment, ErrorCode } from '@seatlog/kafka-protocol';
import type { JoinResponse } from '../responses.ts';
import { type ActorOptions, assignmentOf, type GroupActor } from './group-actor.ts';
import type { GroupLedger } from './group-ledger.ts';
import type { GroupWorld } from './group-world.ts';

export const PARTITIONS = 4;

type Activity = 'outside' | 'joining' | 'syncing' | 'working';

export class GroupRobot {
  readonly name: string;
  activity: Activity = 'outside';
  partitions: readonly number[] = [];
  readonly #world: GroupWorld;
  readonly #ledger: GroupLedger;
  readonly #actor: GroupActor;
  #askedAt = 0;
  #commits: {
    readonly partition: number;
    readonly offset: number;
    readonly errorCode: number | undefined;
  }[] = [];

  constructor(world: GroupWorld, ledger: GroupLedger, name: string, options: ActorOptions) {
    this.name = name;
    this.#world = world;
    this.#ledger = ledger;
    this.#actor = world.member(name, options);
  }

  get generationId(): number {
    return this.#actor.generationId;
  }

  /** What a poll loop does every now and then. */
  poll(): void {
    this.#noteCommits();
    switch (this.activity) {
      case 'outside':
        this.#join();
        return;
      case 'joining':
        this.#lookForGeneration();
        return;
      case 'syncing':
        this.#lookForAssignment();
        return;
      case 'working':
        this.#heartbeat();
    }
  }

  changeTopics(): void {
    this.#actor.topics = this.#actor.topics.length === 1 ? ['seats', 'refunds'] : ['seats'];
    if (this.activity === 'working') this.#join();
  }

  commit(): void {
    const partition = this.partitions[0];
    if (this.activity !== 'working' || partition === undefined) return;
    const offset = this.#ledger.nextOffset();
    const asked = this.#actor.commits(partition, offset);
    this.#commits.push({
      partition,
      offset,
      get errorCode() {
        return asked.errorCode;
      },
    });
  }

  leave(): void {
    if (this.activity !== 'outside') this.#actor.leaves();
    this.activity = 'outside';
  }

  /** Its connection is gone, and with it whatever it waits for. */
  loseConnection(): void {
    this.#noteCommits();
    this.#commits = [];
    if (this.activity !== 'working') this.activity = 'outside';
  }

  #join(): void {
    this.partitions = [];
    this.activity = 'joining';
    this.#askedAt = this.#world.clock.monotonic();
    this.#actor.joins();
    this.#lookForGeneration();
  }

  #lookForGeneration(): void {
    const answer = this.#actor.lastJoin?.answer;
    this.#ledger.checkPatience(this.#askedAt, answer);
    if (answer === undefined) return;
    if (answer.errorCode !== ErrorCode.NONE) {
      this.#startOver(answer.errorCode);
      return;
    }
    this.#actor.learnsGeneration();
    this.#ledger.noteGeneration(answer.generationId);
    this.activity = 'syncing';
    this.#askedAt = this.#world.clock.monotonic();
    this.#actor.syncs(this.#shares(answer));
    this.#lookForAssignment();
  }

  #shares(answer: JoinResponse): Record<string, Uint8Array> {
    if (answer.leader !== answer.memberId || answer.skipAssignment) return {};
    const shares: Record<string, Uint8Array> = {};
    answer.members.forEach(({ memberId }, index) => {
      const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition).filter(
        (partition) => partition % answer.members.length === index,
      );
      shares[memberId] = assignmentOf(...partitions);
      this.#ledger.noteShare(answer.generationId, nameOf(memberId), partitions);
    });
    return shares;
  }

  #lookForAssignment(): void {
    const answer = this.#actor.lastSync?.answer;
    this.#ledger.checkPatience(this.#askedAt, answer);
    if (answer === undefined) return;
    if (answer.errorCode !== ErrorCode.NONE) {
      this.#startOver(answer.errorCode);
      return;
    }
    this.partitions = decodeAssignment(answer.assignment).assignedPartitions.flatMap(
      ({ partitions }) => partitions,
    );
    this.#ledger.checkShare(this.generationId, this.name, this.partitions);
    this.activity = 'working';
  }

  #heartbeat(): void {
    const errorCode = this.#actor.heartbeats() ?? ErrorCode.NONE;
    if (errorCode === ErrorCode.REBALANCE_IN_PROGRESS) this.#join();
    else if (errorCode !== ErrorCode.NONE) this.#startOver(errorCode);
  }

  #startOver(errorCode: number): void {
    if (errorCode === ErrorCode.UNKNOWN_MEMBER_ID) this.#actor.memberId = '';
    this.partitions = [];
    this.activity = 'outside';
  }

  #noteCommits(): void {
    for (const { partition, offset, errorCode } of this.#commits) {
      if (errorCode === ErrorCode.NONE) this.#ledger.noteCommit(partition, offset);
    }
    this.#commits = this.#commits.filter(({ errorCode }) => errorCode === undefined);
  }
}

/** Robots are called after themselves or their instance, and so are their member ids. */
function nameOf(memberId: string): string {
  return memberId.slice(0, memberId.lastIndexOf('-'));
}
