/**
 * One node's part in the metadata quorum, in the process of the moment: the pure replica, its disk, its messages and
 * timers, the image of what is committed, and, while it leads, the active controller.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import {
  type ClusterImage,
  MetadataController,
  type QuorumEffect,
  type QuorumEvent,
  QuorumReplica,
  type QuorumSettings,
  type Respond,
  type SendRequest,
  type SnapshotId,
} from '@seatlog/metadata-quorum';
import { receivedRequest, receivedResponse } from '@seatlog/metadata-quorum/testing';
import type { SeededRandom } from '@seatlog/runtime/testing';
import type { SimulatedNetwork } from '../network/simulated-network.ts';
import type { SimulatedProcess } from '../process/simulated-process.ts';
import type { ScheduledEvent } from '../schedule/event-queue.ts';
import type { SimulationSettings } from '../simulation-settings.ts';
import { ControllerService } from './controller-service.ts';
import { imageAfter, leaderChangeBatch, metadataBatch, type SimulatedBatch } from './metadata-batch.ts';
import type { MetadataDisk } from './metadata-disk.ts';
import { type CommittedImages, MetadataSnapshots } from './metadata-snapshots.ts';

export interface QuorumNodeOptions {
  readonly process: SimulatedProcess;
  readonly disk: MetadataDisk;
  readonly quorum: QuorumSettings;
  readonly settings: SimulationSettings;
  readonly network: SimulatedNetwork;
  readonly random: SeededRandom;
  readonly nodeOf: (id: number) => QuorumNode | null;
  /** It leads in this epoch, its term begun or not. */
  readonly led: (node: QuorumNode, epoch: number) => void;
  /** A batch is committed, as this node knows; in the order of the log. */
  readonly committed: (node: QuorumNode, batch: SimulatedBatch, image: ClusterImage) => void;
  readonly images: CommittedImages;
  /** A snapshot has taken the place of what this node knew. */
  readonly installed: (image: ClusterImage) => void;
  /** Its disk has failed it: it cannot go on. */
  readonly failed: () => void;
}

type Answer = readonly [response: Respond, batches: readonly SimulatedBatch[]];

const NO_SNAPSHOT = 0;

export class QuorumNode {
  readonly process: SimulatedProcess;
  readonly disk: MetadataDisk;
  /** The active controller's, while this node is that. */
  service: ControllerService | null = null;
  image: ClusterImage;
  readonly #options: QuorumNodeOptions;
  readonly #replica: QuorumReplica<SimulatedBatch>;
  readonly #waiting: QuorumEvent<SimulatedBatch>[] = [];
  readonly #answers = new Map<number, (answer: Answer) => void>();
  readonly #snapshots: MetadataSnapshots;
  #controller: MetadataController | null = null;
  #batchesSinceSnapshot = 0;
  #isWritingSnapshot = false;
  #isStepping = false;
  #nextToken = 1;
  #tick: ScheduledEvent | null = null;

  /** The disk is as the last process left it. */
  constructor(options: QuorumNodeOptions) {
    this.#options = options;
    this.process = options.process;
    this.disk = options.disk;
    this.#snapshots = new MetadataSnapshots(options.disk, options.images);
    this.image = this.#snapshots.image();
    this.#replica = new QuorumReplica<SimulatedBatch>({
      settings: options.quorum,
      log: options.disk,
      storedState: options.disk.quorumState,
      random: options.random,
    });
  }

  get leaderId(): number {
    return this.#replica.leaderAndEpoch.leaderId;
  }

  get epoch(): number {
    return this.#replica.leaderAndEpoch.epoch;
  }

  give(event: QuorumEvent<SimulatedBatch>): void {
    this.#waiting.push(event);
    if (this.#isStepping) return;
    this.#isStepping = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      for (const effect of this.#replica.step(next, this.process.moment)) this.#carryOut(effect);
      if (this.#replica.isLeader) this.#options.led(this, this.epoch);
    }
    this.#isStepping = false;
    this.#scheduleTick();
  }

  /** Another node asks. */
  serve(request: SendRequest, respond: (answer: Answer) => void): void {
    const token = this.#nextToken++;
    this.#answers.set(token, respond);
    this.give({ type: 'request', token, ...receivedRequest(request) });
  }

  #carryOut(effect: QuorumEffect<SimulatedBatch>): void {
    const { disk } = this;
    switch (effect.type) {
      case 'persist-state':
        disk.quorumState = effect.state;
        return;
      case 'send':
        this.#send(effect);
        return;
      case 'respond':
        this.#respond(effect);
        return;
      case 'append':
        for (const batch of effect.batches) disk.append(batch);
        this.#syncSoon();
        return;
      case 'append-leader-change':
        disk.assignEpoch(effect.epoch, effect.baseOffset);
        disk.append(leaderChangeBatch(effect.baseOffset, effect.epoch, effect.record));
        this.#syncSoon();
        return;
      case 'truncate':
        this.#soon('metadata truncated', () => disk.truncate(effect.endOffset));
        return;
      case 'begin-snapshot':
        this.#snapshots.begin(effect.id);
        return;
      case 'write-snapshot':
        this.#snapshots.take(effect.bytes);
        return;
      case 'discard-snapshot':
        this.#snapshots.discard();
        return;
      case 'install-snapshot':
        this.#installSnapshot(effect.id);
        return;
      case 'high-watermark':
        this.#apply(effect.offset);
        return;
      case 'term-began':
        this.#beginTerm(effect.epoch);
        return;
      case 'term-ended':
        this.#endTerm();
        return;
      case 'leader-changed':
        this.#tell(
          () => `takes ${effect.leader.leaderId} for the controller in epoch ${effect.leader.epoch}`,
        );
        return;
      case 'log':
        this.#tell(() => effect.line.message);
        return;
      default:
    }
  }

  #send(request: SendRequest): void {
    const { network, nodeOf } = this.#options;
    const { requestId, to, timeoutMs } = request;
    network.call<Answer>({
      label: `quorum ${request.api}`,
      from: this.process.node,
      to,
      timeoutMs,
      serve: (respond) => nodeOf(to)?.serve(request, respond),
      answered: ([response, batches]) =>
        this.give({ type: 'response', requestId, batches, ...receivedResponse(response, NO_SNAPSHOT) }),
      failed: (reason) => this.give({ type: 'request-failed', requestId, closed: reason !== 'timed out' }),
      takesLateAnswers: true,
    });
  }

  #respond(response: Respond): void {
    const { read, token } = response;
    const batches = read?.from === 'log' ? this.disk.read(read.fromOffset, read.toOffset, read.maxBytes) : [];
    const respond = this.#answers.get(token);
    this.#answers.delete(token);
    respond?.([this.#snapshots.withPiece(response), batches]);
  }

  #syncSoon(): void {
    this.#later('metadata synced', () => {
      const { condition, logEndOffset, nextAppendOffset } = this.disk;
      if (logEndOffset === nextAppendOffset) this.give({ type: 'log-changed' });
      else if (condition.isFull) {
        // Nothing of what was asked for is left.
        this.disk.truncate(logEndOffset);
        this.#tell(() => 'has no room for metadata');
        this.give({ type: 'append-failed' });
      } else if (condition.fails('write') || condition.fails('sync')) this.#options.failed();
      else {
        this.disk.sync();
        this.give({ type: 'log-changed' });
      }
    });
  }

  #installSnapshot(id: SnapshotId): void {
    this.#later('metadata snapshot taken over', () => {
      if (!this.#snapshots.complete()) {
        this.give({ type: 'snapshot-unfit', id });
        return;
      }
      this.#later('metadata log begun anew', () => {
        this.disk.beginAnew();
        const image = this.#snapshots.image();
        if (image.lastOffset > this.image.lastOffset) {
          this.image = image;
          this.#batchesSinceSnapshot = 0;
          this.#tell(() => `took over a snapshot up to ${image.lastOffset}`);
          this.#options.installed(image);
        }
        this.give({ type: 'snapshot-installed', id });
      });
    });
  }

  #writeSnapshotIfDue(): void {
    const { batchesBetweenSnapshots } = this.#options.settings;
    if (batchesBetweenSnapshots === 0 || this.#batchesSinceSnapshot < batchesBetweenSnapshots) return;
    if (this.#isWritingSnapshot) return;
    this.#isWritingSnapshot = true;
    this.#batchesSinceSnapshot = 0;
    const { image } = this;
    this.#later('metadata snapshot written', () => {
      this.#isWritingSnapshot = false;
      if (this.disk.condition.isFull) return;
      this.#snapshots.write(image);
      this.#later('metadata log trimmed', () => this.disk.trim());
    });
  }

  #soon(label: string, action: () => void): void {
    this.#later(label, () => {
      action();
      this.give({ type: 'log-changed' });
    });
  }

  /** When the disk has done it. */
  #later(label: string, action: () => void): void {
    const { random, settings } = this.#options;
    this.process.schedule(random.fraction() * settings.writeMs, label, action);
  }

  #apply(highWatermark: number): void {
    const from = this.image.lastOffset + 1;
    for (const batch of this.disk.read(from, highWatermark, Number.POSITIVE_INFINITY)) {
      this.image = imageAfter(this.image, batch);
      this.#batchesSinceSnapshot += 1;
      this.#options.committed(this, batch, this.image);
    }
    this.#writeSnapshotIfDue();
    this.#controller?.committed(this.image.lastOffset);
  }

  #beginTerm(epoch: number): void {
    const { process, settings, random } = this.#options;
    const controller = new MetadataController(this.image, epoch);
    this.#controller = controller;
    this.#tell(() => `is the active controller in epoch ${epoch}`);
    this.service = new ControllerService({
      process,
      settings,
      random,
      written: () => controller.written,
      change: (decide, done) => {
        const records = controller.change(decide, done);
        if (records === null) return;
        this.give({
          type: 'append',
          batch: metadataBatch(records.baseOffset, records.epoch, records.records),
        });
      },
    });
    this.service.bootstrap();
  }

  #endTerm(): void {
    this.service?.end();
    this.service = null;
    const controller = this.#controller;
    this.#controller = null;
    controller?.abandon(this.image, ErrorCode.NOT_CONTROLLER, 'This node is the active controller no more.');
  }

  #scheduleTick(): void {
    const { queue } = this.process;
    if (this.#tick !== null) queue.cancel(this.#tick);
    const dueAtMs = this.#replica.nextDueAtMs;
    this.#tick =
      dueAtMs === Number.POSITIVE_INFINITY
        ? null
        : this.process.schedule(Math.max(0, dueAtMs - this.process.moment.monotonic), 'quorum tick', () =>
            this.give({ type: 'tick' }),
          );
  }

  #tell(text: () => string): void {
    const { queue, node } = this.process;
    if (queue.trace.isWritten) queue.trace.tell(queue.now, node, text);
  }
}
