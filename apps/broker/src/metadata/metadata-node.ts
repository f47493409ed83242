/**
 * This node's metadata: the only voter of its quorum, the active controller, and a broker that follows it.
 *
 * The way of a change: decision, records, log, sync; then the image moves, `apply` brings this broker's replicas in
 * line with it, listeners hear of it, and only then is the answer given. Three steps after construction:
 * - `image` is what the log says, for whoever loads the partitions of this broker;
 * - `start` claims leadership and registers the broker; `apply` is called for the first time with an image in which
 *   the broker is registered anew and leads what it should, never with leaderships of an earlier run;
 * - `beginControlledShutdown` hands them back; `close` refuses further changes.
 */
import type { LogDirectory } from '@seatlog/commit-log';
import { ErrorCode } from '@seatlog/kafka-protocol';
import {
  beginControlledShutdown,
  bootstrapRecords,
  type BrokerAnswer,
  type BrokerToRegister,
  changesBetween,
  type ClusterImage,
  type ConfigSchema,
  type Decision,
  MetadataController,
  randomUuid,
  registerBroker,
  supportedFeatures,
  unfenceBroker,
} from '@seatlog/metadata-quorum';
import type { Clock, FileSystem, Random } from '@seatlog/runtime';
import type { Logger } from '../logger.ts';
import type { BrokerMetrics } from '../metrics.ts';
import { MetadataLog } from './metadata-log.ts';
import type { ChangeOutcome, ImageListener, MetadataService } from './metadata-service.ts';
import { recoveriesToConfirm, reportElections } from './unclean-elections.ts';

export interface MetadataNodeOptions {
  readonly directory: LogDirectory;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: BrokerMetrics;
  readonly schema: ConfigSchema;
  /** `metadata.log.max.record.bytes.between.snapshots`. */
  readonly bytesBetweenSnapshots: number;
  /** The node cannot go on: its metadata log is lost to it, or an image could not be applied. Called once. */
  readonly fatal: (error: Error) => void;
}

export interface NodeRegistration {
  readonly endpoints: BrokerToRegister['endpoints'];
  readonly rack: string | null;
  /** Brings this broker's replicas in line with an image. `previous` is the one applied before it. */
  readonly apply: ImageListener;
}

export type StartDone = (error: Error | null, brokerEpoch: number) => void;

export class MetadataNode implements MetadataService {
  readonly #options: MetadataNodeOptions;
  readonly #log: MetadataLog;
  readonly #listeners = new Set<ImageListener>();
  #controller: MetadataController | null = null;
  #apply: ImageListener | null = null;
  #applied: ClusterImage;
  #brokerEpoch = -1;
  /** Batches that were handed to the log and are not decided yet. */
  #inFlight = 0;
  /** Why the log refused a batch; the ones behind it are waited for before anything goes on. */
  #refused: Error | null = null;
  #closed = false;

  /** Replays the metadata log. Throws `MetadataError` or `LogError` if it cannot be read. */
  constructor(options: MetadataNodeOptions) {
    this.#options = options;
    this.#log = new MetadataLog(options);
    this.#applied = this.#log.replay.image;
  }

  get image(): ClusterImage {
    return this.#applied;
  }

  get controllerId(): number {
    return this.#controller === null ? -1 : this.nodeId;
  }

  get clusterId(): string {
    return this.#options.directory.clusterId;
  }

  get nodeId(): number {
    return this.#options.directory.nodeId;
  }

  /** -1 until the broker is registered. */
  get brokerEpoch(): number {
    return this.#brokerEpoch;
  }

  start(registration: NodeRegistration, done: StartDone): void {
    this.#log.claim(this.nodeId, (error, epoch) => {
      if (error !== null) return done(error, -1);
      this.#controller = new MetadataController(this.#log.replay.image, epoch);
      this.change(
        (image) => ({ records: bootstrapRecords(image), answer: null }),
        (outcome) => {
          if (outcome.kind === 'failed') return done(new Error(outcome.message), -1);
          this.#register(registration, done);
        },
      );
    });
  }

  change<Answer>(
    decide: (image: ClusterImage) => Decision<Answer>,
    done: (outcome: ChangeOutcome<Answer>) => void,
  ): void {
    const controller = this.#controller;
    if (controller === null || this.#closed) {
      return done({
        kind: 'failed',
        errorCode: ErrorCode.NOT_CONTROLLER,
        message: 'This node is no active controller.',
      });
    }
    const unable = this.#refused ?? this.#log.failure;
    if (unable !== null) {
      return done({ kind: 'failed', errorCode: ErrorCode.KAFKA_STORAGE_ERROR, message: unable.message });
    }
    const append = controller.change(decide, done);
    if (append === null) return;
    this.#inFlight += 1;
    this.#log.append(append, (error) => {
      this.#inFlight -= 1;
      if (error !== null) this.#refused ??= error;
      if (this.#refused === null) this.#commit(controller, append.lastOffset);
      else if (this.#inFlight === 0) this.#goBack(controller, this.#refused);
    });
  }

  subscribe(listener: ImageListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Hands this broker's leaderships over, as far as there is anyone to take them. `done` is called once, in any case. */
  beginControlledShutdown(done: () => void): void {
    this.change(
      (image) => beginControlledShutdown(image, this.nodeId, this.#brokerEpoch, this.#options.schema),
      (outcome) => {
        if (outcome.kind === 'failed' || outcome.answer.errorCode !== ErrorCode.NONE) {
          this.#options.log.warn('The controlled shutdown could not be recorded', { outcome });
        }
        done();
      },
    );
  }

  /** Takes no more changes; those that wait are answered with NOT_CONTROLLER. */
  close(): void {
    this.#closed = true;
    this.#listeners.clear();
    this.#controller?.abandon(this.#applied, ErrorCode.NOT_CONTROLLER, 'This node is stopping.');
  }

  #register(registration: NodeRegistration, done: StartDone): void {
    const { directory, random, schema } = this.#options;
    const request: BrokerToRegister = {
      brokerId: this.nodeId,
      incarnationId: randomUuid(random),
      endpoints: registration.endpoints,
      features: supportedFeatures,
      rack: registration.rack,
      logDirs: [directory.directoryId],
      previousBrokerEpoch: directory.previousBrokerEpoch ?? -1,
    };
    // The log directory's lock is proof that no other process of this node is alive.
    const register = (image: ClusterImage) => registerBroker(image, request, { schema, sessionAlive: false });
    this.#changeBroker(register, done, (brokerEpoch) => {
      const unfence = (image: ClusterImage) => unfenceBroker(image, this.nodeId, brokerEpoch, schema);
      this.#changeBroker(unfence, done, () => {
        this.#brokerEpoch = brokerEpoch;
        this.#apply = registration.apply;
        this.#publish();
        done(null, brokerEpoch);
      });
    });
  }

  #changeBroker(
    decide: (image: ClusterImage) => Decision<BrokerAnswer>,
    failed: StartDone,
    done: (brokerEpoch: number) => void,
  ): void {
    this.change(decide, (outcome) => {
      if (outcome.kind === 'failed') return failed(new Error(outcome.message), -1);
      const { errorCode, errorMessage, brokerEpoch } = outcome.answer;
      if (errorCode !== ErrorCode.NONE) return failed(new Error(errorMessage ?? `error ${errorCode}`), -1);
      done(brokerEpoch);
    });
  }

  #commit(controller: MetadataController, offset: number): void {
    if (this.#closed) return;
    if (this.#apply !== null) this.#publish();
    // An image that could not be applied is no basis for an answer.
    if (this.#closed)
      controller.abandon(this.#log.replay.image, ErrorCode.KAFKA_STORAGE_ERROR, 'This node has failed.');
    else controller.committed(offset);
  }

  #publish(): void {
    const previous = this.#applied;
    const image = this.#log.replay.image;
    this.#applied = image;
    try {
      this.#apply?.(image, previous);
    } catch (error) {
      this.#stop(error);
      return;
    }
    for (const listener of this.#listeners) listener(image, previous);
    const { partitions } = changesBetween(previous, image);
    reportElections(partitions, this.#options.log, this.#options.metrics);
    const recoveries = recoveriesToConfirm(partitions, this.nodeId, this.#brokerEpoch, this.#options.schema);
    if (recoveries !== null) this.change(recoveries, () => {});
  }

  /** What the log did not take is undone; a log that lost a batch from its middle cannot be gone on with. */
  #goBack(controller: MetadataController, refused: Error): void {
    const { image, nextOffset } = this.#log.replay;
    if (this.#log.failure !== null || this.#log.nextOffset !== nextOffset) this.#stop(refused);
    this.#options.log.error('The metadata log could not be written; changes are undone', { error: refused });
    this.#refused = null;
    controller.abandon(image, ErrorCode.KAFKA_STORAGE_ERROR, refused.message);
  }

  #stop(error: unknown): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.fatal(error instanceof Error ? error : new Error(String(error)));
  }
}
