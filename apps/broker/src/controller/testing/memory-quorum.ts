/**
 * A metadata quorum for tests: its log is this object. What is decided is committed at once, unless `hold` is set. It
 * begins with a term of this node's own.
 */
import { ErrorCode } from '@seatlog/kafka-protocol';
import {
  type ChangeOutcome,
  type ClusterImage,
  type Decision,
  emptyImage,
  type LeaderBefore,
  MetadataController,
} from '@seatlog/metadata-quorum';
import type { ImageListener } from '../../metadata/metadata-service.ts';
import type {
  ControllerTerm,
  MetadataQuorum,
  QuorumLeader,
  QuorumVoter,
  TermListener,
} from '../../quorum/metadata-quorum.ts';

export const CLUSTER_ID = 'wlRg8jBZQhqo0Y-qbWmJZA';

export class MemoryQuorum implements MetadataQuorum {
  readonly nodeId: number;
  readonly clusterId = CLUSTER_ID;
  voters: readonly QuorumVoter[] = [];
  hold = false;
  failWith: { errorCode: number; message: string } | null = null;
  image: ClusterImage = emptyImage;
  leader: QuorumLeader = { id: -1, epoch: 0 };
  leaderBefore: LeaderBefore | null = null;
  term: ControllerTerm | null = null;
  #controller: MetadataController | null = null;
  readonly #images = new Set<ImageListener>();
  readonly #leaders = new Set<(leader: QuorumLeader) => void>();
  readonly #terms = new Set<TermListener>();

  constructor(nodeId = 1) {
    this.nodeId = nodeId;
    this.lead(nodeId);
  }

  get controllerId(): number {
    return this.leader.id;
  }

  get highWatermark(): number {
    return this.image.lastOffset + 1;
  }

  /** All that was decided, committed or not. */
  get written(): ClusterImage {
    return this.#controller?.written ?? this.image;
  }

  /** Another leader, in an epoch of its own; this node begins or ends its term with it. -1: none is known. */
  lead(id: number): void {
    this.#endTerm();
    this.leader = { id, epoch: this.leader.epoch + 1 };
    for (const listener of this.#leaders) listener(this.leader);
    if (id === this.nodeId) this.#beginTerm();
  }

  change<Answer>(
    decide: (image: ClusterImage) => Decision<Answer>,
    done: (outcome: ChangeOutcome<Answer>) => void,
  ): void {
    if (this.failWith !== null) return done({ kind: 'failed', ...this.failWith });
    if (this.#controller === null) {
      return done({ kind: 'failed', errorCode: ErrorCode.NOT_CONTROLLER, message: 'Not the controller.' });
    }
    this.#controller.change(decide, done);
    if (!this.hold) this.commit();
  }

  commit(): void {
    if (this.#controller === null) return;
    this.take(this.#controller.written);
    this.#controller.committed(this.image.lastOffset);
  }

  /** An image comes from the log, as to a node that does not write it. */
  take(image: ClusterImage): void {
    const previous = this.image;
    this.image = image;
    if (image !== previous) for (const listener of [...this.#images]) listener(image, previous);
  }

  subscribe(listener: ImageListener): () => void {
    this.#images.add(listener);
    return () => this.#images.delete(listener);
  }

  onLeader(listener: (leader: QuorumLeader) => void): () => void {
    this.#leaders.add(listener);
    return () => this.#leaders.delete(listener);
  }

  onTerm(listener: TermListener): () => void {
    this.#terms.add(listener);
    if (this.term !== null) listener.termBegan(this.term);
    return () => this.#terms.delete(listener);
  }

  #beginTerm(): void {
    const controller = new MetadataController(this.image, this.leader.epoch);
    const term: ControllerTerm = {
      epoch: this.leader.epoch,
      get writtenImage() {
        return controller.written;
      },
      change: (decide, done) => this.change(decide, done),
    };
    this.#controller = controller;
    this.term = term;
    for (const listener of this.#terms) listener.termBegan(term);
  }

  #endTerm(): void {
    const { term } = this;
    this.#controller?.abandon(this.image, ErrorCode.NOT_CONTROLLER, 'The term has ended.');
    this.#controller = null;
    this.term = null;
    if (term !== null) for (const listener of this.#terms) listener.termEnded(term);
  }
}
