/**
 * Three voters on slow disks, by a seed: topics are created while nodes lose their process or their power, one or all at
 * once, with syncs under way, small segments and many snapshots. What a power cut does to what was not synced, chance
 * decides.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import { imageRecords } from '@seatlog/metadata-quorum';
import { SeededRandom } from '@seatlog/runtime/testing';
import { MemoryCluster } from '../../testing/memory-cluster.ts';

const VOTERS = [1, 2, 3] as const;
const SETTINGS = {
  'metadata.log.max.record.bytes.between.snapshots': '1500',
  'metadata.log.segment.bytes': '2048',
};
/** How often the disks do some of what they owe. */
const DISK_STEP_MS = 1;
const MOST_PER_STEP = 3;
const LONGEST_PAUSE_MS = 30;

export class PowerCuts implements AsyncDisposable {
  /** What was done, for whoever looks at a seed that fails. */
  readonly story: string[] = [];
  readonly #random: SeededRandom;
  readonly #cluster: MemoryCluster;
  readonly #acknowledged: string[] = [];
  readonly #asking: Promise<void>[] = [];
  #isOver = false;
  #topics = 0;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    this.#cluster = new MemoryCluster({ voters: VOTERS, seed, settings: SETTINGS });
  }

  async run(rounds: number): Promise<void> {
    this.#runDisks();
    await this.#cluster.start(VOTERS);
    for (let round = 0; round < rounds; round += 1) {
      for (let count = this.#random.below(6); count > 0; count -= 1) await this.#createTopic();
      await this.#fault();
      if (this.#running.length < 2) await this.#startAll();
    }
  }

  /** All run again; gives what is wrong then. */
  async mend(): Promise<readonly string[]> {
    const cluster = this.#cluster;
    await this.#startAll();
    await cluster.wait(Promise.all(this.#asking));
    const offsets = (): Set<number> => new Set(VOTERS.map((id) => cluster.quorum(id).image.lastOffset));
    await cluster.until(() => offsets().size === 1, 'all have the same metadata');
    const contents = new Set(VOTERS.map((id) => JSON.stringify([...imageRecords(cluster.quorum(id).image)])));
    const { topics } = cluster.quorum(VOTERS[0]).image;
    return [
      ...(contents.size === 1 ? [] : ['the metadata differs']),
      ...this.#acknowledged.filter((name) => !topics.has(name)).map((name) => `${name} is lost`),
      ...VOTERS.flatMap((id) => cluster.node(id).fatal.map((error) => `node ${id} failed: ${error.message}`)),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#cluster[Symbol.asyncDispose]();
  }

  get #running(): readonly number[] {
    return this.#cluster.running.map(({ id }) => id);
  }

  #runDisks(): void {
    if (this.#isOver) return;
    for (const { files } of this.#cluster.nodes) {
      files.completions = 'held';
      const most = this.#random.below(MOST_PER_STEP + 1);
      for (let count = 0; count < most && files.heldCompletions.length > 0; count += 1) files.deliver();
    }
    this.#cluster.clock.schedule(DISK_STEP_MS, () => this.#runDisks());
  }

  async #createTopic(): Promise<void> {
    const name = `topic-${this.#topics++}`;
    const id = this.#pick(this.#running);
    this.story.push(`${name} by ${id}`);
    const asking = this.#cluster.createTopic(id, name, 1, 1).then(
      (errorCode) => {
        if (errorCode === ErrorCode.NONE) this.#acknowledged.push(name);
      },
      // Whoever was asked died: nothing is known of it.
      () => {},
    );
    if (this.#random.oneIn(2)) return asking;
    this.#asking.push(asking);
    return this.#cluster.pass(this.#random.below(LONGEST_PAUSE_MS));
  }

  async #fault(): Promise<void> {
    const running = this.#running;
    if (running.length < VOTERS.length && this.#random.oneIn(2)) return this.#startAll();
    if (running.length < VOTERS.length && !this.#random.oneIn(3)) return undefined;
    const victims = this.#random.oneIn(5) ? running : [this.#pick(running)];
    for (const id of victims) {
      const kind = this.#random.oneIn(2) ? 'power' : 'process';
      this.story.push(`${id} loses its ${kind}`);
      this.#cluster.kill(id, kind);
    }
    return undefined;
  }

  async #startAll(): Promise<void> {
    const down = VOTERS.filter((id) => !this.#running.includes(id));
    this.story.push(`start ${down.join(' and ')}`);
    await this.#cluster.start(down);
  }

  #pick(ids: readonly number[]): number {
    return ids[this.#random.below(ids.length)] ?? VOTERS[0];
  }
}
