/**
 * A quorum of controllers that fail as brokers do, and the brokers as its observers. What is committed is looked at
 * here: it never rolls back, and one controller leads in an epoch.
 */
import {
  type ClusterImage,
  DEFAULT_QUORUM_LIMITS,
  emptyImage,
  type QuorumSettings,
  type QuorumTiming,
} from '@seatlog/metadata-quorum';
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { ControllerVictims } from '../faults/nemesis.ts';
import { violated } from '../invariants/violation.ts';
import type { SimulatedNetwork } from '../network/simulated-network.ts';
import { SimulatedProcess } from '../process/simulated-process.ts';
import type { EventQueue } from '../schedule/event-queue.ts';
import { FIRST_CONTROLLER, type SimulationSettings } from '../simulation-settings.ts';
import type { ControllerService } from './controller-service.ts';
import type { SimulatedBatch } from './metadata-batch.ts';
import { MetadataDisk } from './metadata-disk.ts';
import { CommittedImages } from './metadata-snapshots.ts';
import type { ControllerCall, MetadataPlane } from './metadata-plane.ts';
import { QuorumNode } from './quorum-node.ts';

export interface QuorumPlaneOptions {
  readonly queue: EventQueue;
  readonly network: SimulatedNetwork;
  readonly random: SeededRandom;
  readonly settings: SimulationSettings;
  readonly committed: (image: ClusterImage) => void;
}

const TIMING: QuorumTiming = {
  electionTimeoutMs: 250,
  electionBackoffMaxMs: 200,
  fetchTimeoutMs: 500,
  requestTimeoutMs: 400,
  retryBackoffMs: 20,
  fetchMaxWaitMs: 150,
};
const UNKNOWN_CONTROLLER_MS = 40;
/** So that a snapshot comes in several pieces. */
const SNAPSHOT_CHUNK_BYTES = 300;

export class QuorumPlane implements MetadataPlane, ControllerVictims {
  committedImage: ClusterImage = emptyImage;
  readonly #options: QuorumPlaneOptions;
  readonly #controllers: readonly SimulatedProcess[];
  readonly #disks = new Map<number, MetadataDisk>();
  /** Of the processes of the moment. */
  readonly #nodes = new Map<number, QuorumNode>();
  readonly #committed: SimulatedBatch[] = [];
  /** By place: the epoch in which each was committed. */
  readonly #committedIn: number[] = [];
  readonly #leaders = new Map<number, string>();
  readonly #images = new CommittedImages();
  #voters: QuorumSettings['voters'];

  constructor(options: QuorumPlaneOptions) {
    const { queue, network, settings } = options;
    this.#options = options;
    const ids = Array.from({ length: settings.controllers }, (_, at) => FIRST_CONTROLLER + at);
    this.#voters = ids.map((id) => ({ id, host: 'controller', port: id }));
    this.#controllers = ids.map((id) => new SimulatedProcess(id, queue));
    for (const process of this.#controllers) network.join(process);
    for (const process of this.#controllers) this.#start(process);
  }

  get activeService(): ControllerService | null {
    return this.#active?.service ?? null;
  }

  get activeNode(): number {
    return this.#active?.process.node ?? -1;
  }

  get #active(): QuorumNode | null {
    let active: QuorumNode | null = null;
    for (const node of this.#nodes.values()) {
      const isLater = active === null || node.epoch > active.epoch;
      if (node.service !== null && node.process.state === 'running' && isLater) active = node;
    }
    return active;
  }

  call<Answer>(call: ControllerCall<Answer>): void {
    const { network, settings } = this.#options;
    const asking = this.#nodes.get(call.from);
    if (asking === undefined) return;
    const { leaderId } = asking;
    const fail = (): void => {
      asking.process.schedule(UNKNOWN_CONTROLLER_MS, `${call.label} not sent`, () =>
        call.failed('no controller is known'),
      );
    };
    if (leaderId === -1) {
      fail();
      return;
    }
    network.call<Answer | null>({
      label: call.label,
      from: call.from,
      to: leaderId,
      timeoutMs: settings.requestTimeoutMs,
      serve: (respond) => {
        const service = this.#nodes.get(leaderId)?.service ?? null;
        if (service === null) respond(null);
        else call.serve(service, respond);
      },
      answered: (answer) => {
        if (answer === null) fail();
        else call.answered(answer);
      },
      failed: call.failed,
      ...(call.takesLateAnswers === undefined ? {} : { takesLateAnswers: call.takesLateAnswers }),
    });
  }

  watch(process: SimulatedProcess, arrived: (image: ClusterImage) => void): void {
    this.#start(process, arrived);
  }

  diskLost(node: number): void {
    this.#disk(node).wipe();
  }

  kill(random: SeededRandom): void {
    const victim = this.#victim(random);
    if (victim.state === 'dead') return;
    victim.kill();
    this.#options.network.disconnect(victim.node);
  }

  stop(random: SeededRandom): void {
    this.#victim(random).stop();
  }

  powerCut(random: SeededRandom): void {
    // What is synced is there, and only that is ever counted on: the same as a kill, for several at once.
    for (const process of this.#controllers) if (random.oneIn(2) && process.state !== 'dead') process.kill();
  }

  fillDisk(random: SeededRandom): void {
    this.#disk(this.#victim(random).node).condition.isFull = true;
  }

  failDisk(random: SeededRandom): void {
    this.#disk(this.#victim(random).node).condition.failsNext = 'sync';
  }

  makeRoom(): void {
    for (const { condition } of this.#disks.values()) condition.mend();
  }

  raise(): void {
    for (const process of this.#controllers) {
      process.continue();
      if (process.state === 'dead') this.#start(process);
    }
  }

  #start(process: SimulatedProcess, arrived: (image: ClusterImage) => void = () => {}): void {
    const { network, random, settings } = this.#options;
    if (process.state === 'dead') process.start();
    const disk = this.#disk(process.node);
    disk.crash(random);
    const node = new QuorumNode({
      process,
      disk,
      quorum: this.#settingsOf(process.node),
      settings,
      network,
      random,
      nodeOf: (id) => this.#nodes.get(id) ?? null,
      led: (leader, epoch) => this.#noteLeader(leader, epoch),
      committed: (committing, batch, image) => {
        this.#noteCommitted(committing, batch, image);
        arrived(image);
      },
      images: this.#images,
      installed: arrived,
      failed: () => {
        process.kill();
        network.disconnect(process.node);
      },
    });
    this.#nodes.set(process.node, node);
    // What its snapshot holds it knows from the beginning.
    if (node.image.lastOffset >= 0) arrived(node.image);
    node.give({ type: 'started' });
  }

  #settingsOf(nodeId: number): QuorumSettings {
    return {
      nodeId,
      directoryId: `AAAAAAAAAAAAAAAAAAA${String(nodeId).padStart(3, 'A')}`.slice(0, 21) + 'A',
      clusterId: 'simulation',
      voters: this.#voters,
      listenerName: 'CONTROLLER',
      timing: TIMING,
      limits: { ...DEFAULT_QUORUM_LIMITS, snapshotChunkBytes: SNAPSHOT_CHUNK_BYTES },
    };
  }

  #disk(node: number): MetadataDisk {
    let disk = this.#disks.get(node);
    if (disk === undefined) {
      disk = new MetadataDisk();
      this.#disks.set(node, disk);
    }
    return disk;
  }

  #noteLeader({ process, disk }: QuorumNode, epoch: number): void {
    const who = `node ${process.node}, process ${process.incarnation}`;
    const known = this.#leaders.get(epoch);
    if (known === who) return;
    if (known !== undefined) violated('one controller per epoch', `epoch ${epoch}: ${known} and ${who}`);
    this.#leaders.set(epoch, who);
    // One may learn late that it was elected, and others have led since.
    const isEarlier = (place: number): boolean => (this.#committedIn[place] ?? 0) < epoch;
    const missing = this.#committed.find((batch, place) => isEarlier(place) && !disk.holds(batch));
    if (missing !== undefined) {
      violated(
        'metadata that is committed is on every later controller',
        `${who}, epoch ${epoch}: ${missing.baseOffset}`,
      );
    }
  }

  #noteCommitted({ process, epoch }: QuorumNode, batch: SimulatedBatch, image: ClusterImage): void {
    const known = this.#committed.at(-1);
    const end = (known?.lastOffset ?? -1) + 1;
    if (batch.baseOffset < end) {
      // Others were told before; it must be the same.
      if (this.#placeOf(batch.baseOffset) !== batch) {
        violated(
          'metadata never rolls back',
          `node ${process.node} commits another batch at ${batch.baseOffset}`,
        );
      }
      return;
    }
    this.#committed.push(batch);
    this.#committedIn.push(epoch);
    this.committedImage = image;
    this.#images.note(image);
    this.#options.committed(image);
  }

  #placeOf(baseOffset: number): SimulatedBatch | undefined {
    return this.#committed.findLast((batch) => batch.baseOffset === baseOffset);
  }

  /** The active one more often than another. */
  #victim(random: SeededRandom): SimulatedProcess {
    const leading = this.#controllers.find(({ node }) => this.#nodes.get(node)?.service !== null);
    const any = this.#controllers[random.below(this.#controllers.length)] as SimulatedProcess;
    return random.oneIn(2) ? any : (leading ?? any);
  }
}
