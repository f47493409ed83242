/** Sees all that simulated nodes do, and throws at the first thing that must never be. */
import type { ContentBatch, MemoryQuorumLog } from './memory-quorum-log.ts';

export interface WitnessedNode {
  readonly id: number;
  readonly isVoter: boolean;
  readonly log: MemoryQuorumLog;
}

export class QuorumWitness {
  readonly #voters: readonly WitnessedNode[];
  readonly #majority: number;
  /** By epoch: who led, and in which run of its process. */
  readonly #leaders = new Map<number, string>();
  /** By voter and epoch: whom it voted for. */
  readonly #votes = new Map<string, number>();
  /** By offset: the record that is committed there. */
  readonly #committed = new Map<number, string>();
  #committedEnd = 0;

  constructor(nodes: readonly WitnessedNode[]) {
    this.#voters = nodes.filter(({ isVoter }) => isVoter);
    this.#majority = Math.floor(this.#voters.length / 2) + 1;
  }

  get committedEnd(): number {
    return this.#committedEnd;
  }

  get epochsLed(): number {
    return this.#leaders.size;
  }

  committedContents(): readonly string[] {
    return [...this.#committed.values()];
  }

  leads(node: WitnessedNode, run: number, epoch: number): void {
    const leader = `${node.id} in run ${run}`;
    const known = this.#leaders.get(epoch);
    if (known === leader) return;
    if (known !== undefined) throw new Error(`epoch ${epoch} has two leaders: ${known} and ${leader}`);
    this.#leaders.set(epoch, leader);
    this.#checkPrefix(node, this.#committedEnd, `leader ${leader} of epoch ${epoch}`);
  }

  votes(voterId: number, epoch: number, candidateId: number): void {
    const key = `${voterId} ${epoch}`;
    const known = this.#votes.get(key) ?? candidateId;
    if (known !== candidateId)
      throw new Error(`${voterId} votes for ${known} and ${candidateId} in ${epoch}`);
    this.#votes.set(key, candidateId);
  }

  /** A node takes all below the offset for committed. A leader must have a majority's synced logs to say so. */
  commits(node: WitnessedNode, highWatermark: number, known: number, isLeader: boolean): void {
    if (highWatermark < known) throw new Error(`${node.id}: high watermark falls to ${highWatermark}`);
    if (highWatermark > node.log.logEndOffset) {
      throw new Error(`${node.id}: high watermark ${highWatermark} is beyond what is synced`);
    }
    if (!isLeader) {
      if (highWatermark > this.#committedEnd)
        throw new Error(`${node.id}: ${highWatermark} is not committed`);
      this.#checkPrefix(node, highWatermark, `node ${node.id}`);
      return;
    }
    for (const batch of node.log.batches) {
      if (batch.lastOffset < highWatermark) this.#commit(batch);
    }
    this.#committedEnd = Math.max(this.#committedEnd, highWatermark);
    const holders = this.#voters.filter((voter) => this.#holds(voter, highWatermark));
    if (holders.length < this.#majority) {
      throw new Error(`${highWatermark} is committed by ${node.id} and held by ${holders.length} voters`);
    }
  }

  #commit({ baseOffset, epoch, content }: ContentBatch): void {
    const record = `${epoch} ${content}`;
    const known = this.#committed.get(baseOffset) ?? record;
    if (known !== record) throw new Error(`offset ${baseOffset} is committed as ${known} and as ${record}`);
    this.#committed.set(baseOffset, record);
  }

  #holds(node: WitnessedNode, end: number): boolean {
    return node.log.logEndOffset >= end && this.#differenceFrom(node, end) === null;
  }

  #checkPrefix(node: WitnessedNode, end: number, who: string): void {
    if (node.log.logEndOffset < end) {
      throw new Error(`${who} ends at ${node.log.logEndOffset}; ${end} is committed`);
    }
    const difference = this.#differenceFrom(node, end);
    if (difference !== null) throw new Error(`${who}: ${difference}`);
  }

  #differenceFrom(node: WitnessedNode, end: number): string | null {
    for (const { baseOffset, lastOffset, epoch, content } of node.log.batches) {
      if (lastOffset >= end) continue;
      const known = this.#committed.get(baseOffset);
      if (known !== `${epoch} ${content}`)
        return `${baseOffset} holds ${epoch} ${content}, committed is ${known}`;
    }
    return null;
  }
}
