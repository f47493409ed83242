/**
 * The metadata quorum as the rest of a node sees it: who leads it, the committed metadata, and the terms in which this
 * node is the active controller.
 *
 * A term begins when this node leads the quorum and the record that says so is committed, so that the committed image
 * is whole; it ends with the leadership. Decisions of a term run one after another, and their answers are held back
 * until their records are committed and this node has applied them. What is asked outside of a term is answered with
 * NOT_CONTROLLER.
 */
import type {
  ChangeOutcome,
  ClusterImage,
  Decision,
  LeaderBefore,
  QuorumDescription,
} from '@seatlog/metadata-quorum';
import type { MetadataService } from '../metadata/metadata-service.ts';

export interface QuorumLeader {
  /** -1 while nobody is known to lead. */
  readonly id: number;
  readonly epoch: number;
}

/** A voter of the quorum, at its controller listener. */
export interface QuorumVoter {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

/** One stretch of time in which this node is the active controller. */
export interface ControllerTerm {
  /** The quorum's epoch; answered as controller epoch. */
  readonly epoch: number;
  /** Everything decided so far, committed or not: what the next decision sees. */
  readonly writtenImage: ClusterImage;
  /** As `MetadataService.change`; NOT_CONTROLLER once the term has ended. */
  change<Answer>(
    decide: (image: ClusterImage) => Decision<Answer>,
    done: (outcome: ChangeOutcome<Answer>) => void,
  ): void;
}

export interface TermListener {
  /** This node is the active controller from now on. `image` of the quorum is all that was ever committed. */
  termBegan(term: ControllerTerm): void;
  /** It is no longer. Decisions that waited were answered with NOT_CONTROLLER before this is called. */
  termEnded(term: ControllerTerm): void;
}

export interface MetadataQuorum extends MetadataService {
  readonly leader: QuorumLeader;
  readonly voters: readonly QuorumVoter[];
  /** While a term runs: whom this node followed before, and when it heard of that one last; null if nobody. */
  readonly leaderBefore: LeaderBefore | null;
  /** The term that runs now; null while this node is not the active controller. */
  readonly term: ControllerTerm | null;
  /** The next offset after all committed metadata that this node knows of. */
  readonly highWatermark: number;
  /** Calls `listener` whenever leader or epoch change, after the change. */
  onLeader(listener: (leader: QuorumLeader) => void): () => void;
  /** Calls `listener` at the beginning and the end of each term; at once if one runs. */
  onTerm(listener: TermListener): () => void;
}

/** With all that people may want to know of it. */
export interface DescribedQuorum extends MetadataQuorum {
  readonly description: QuorumDescription;
}
