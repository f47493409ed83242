/** The rules that hold whatever members do, checked on what robots see. */
import type { GroupWorld } from './group-world.ts';

export class GroupLedger {
  readonly #world: GroupWorld;
  /** The longest that a member may be kept waiting for an answer. */
  readonly #patienceMs: number;
  #lastOffset = 0;
  #generationOfThisLife = 0;
  #latestShared = 0;
  readonly #shares = new Map<number, Map<string, readonly number[]>>();
  readonly #acknowledged = new Map<number, number>();

  constructor(world: GroupWorld, patienceMs: number) {
    this.#world = world;
    this.#patienceMs = patienceMs;
  }

  nextOffset(): number {
    return ++this.#lastOffset;
  }

  beginLife(): void {
    this.#generationOfThisLife = 0;
  }

  checkPatience(askedAt: number, answer: unknown): void {
    const waited = this.#world.clock.monotonic() - askedAt;
    if (answer === undefined && waited > this.#patienceMs) {
      throw new Error(`a member has been waiting for ${waited} ms`);
    }
  }

  noteGeneration(generationId: number): void {
    if (generationId < this.#generationOfThisLife) {
      throw new Error(`generation ${generationId} after ${this.#generationOfThisLife}`);
    }
    this.#generationOfThisLife = generationId;
  }

  noteShare(generationId: number, name: string, partitions: readonly number[]): void {
    const shares = this.#shares.get(generationId) ?? new Map<string, readonly number[]>();
    shares.set(name, partitions);
    this.#shares.set(generationId, shares);
  }

  /** What is handed out is what the generation's leader meant for that member, and no generation comes back. */
  checkShare(generationId: number, name: string, partitions: readonly number[]): void {
    const meant = this.#shares.get(generationId)?.get(name) ?? [];
    if (partitions.length > 0 && partitions.join() !== meant.join()) {
      throw new Error(`${name} got [${partitions}] in generation ${generationId}, meant was [${meant}]`);
    }
    if (generationId < this.#latestShared) {
      throw new Error(`generation ${generationId} was handed out after ${this.#latestShared}`);
    }
    this.#latestShared = generationId;
  }

  noteCommit(partition: number, offset: number): void {
    this.#acknowledged.set(partition, Math.max(offset, this.#acknowledged.get(partition) ?? 0));
  }

  /** No acknowledged commit is lost, and what the shard holds is what its log says. */
  checkOffsets(groupId: string): void {
    const held = this.#world.shard.fetchOffsets(groupId, null);
    const written = [...this.#world.contents().offsets.of(groupId)];
    const line = (topic: string, partition: number, offset: number): string =>
      `${topic}-${partition}=${offset}`;
    const heldLines = held.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, committedOffset }) => line(name, partitionIndex, committedOffset)),
    );
    const writtenLines = written.map(({ topic, partition, committed }) =>
      line(topic, partition, committed.offset),
    );
    if (heldLines.sort().join() !== writtenLines.sort().join()) {
      throw new Error(`held ${heldLines.join()}, written ${writtenLines.join()}`);
    }
    for (const [partition, offset] of this.#acknowledged) {
      const now = written.find((each) => each.partition === partition)?.committed.offset ?? -1;
      if (now < offset) throw new Error(`commit ${offset} of partition ${partition} is lost: ${now}`);
    }
  }
}
