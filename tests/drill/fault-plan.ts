/** Which faults come in which order: drawn from a seed, so that the same seed makes the same plan. Pure. */
import { SeededChoices } from '../../load-tests/smoke/random.ts';

export const faultFamilies = {
  /** kill -9. */
  kill: ['kill-leader', 'kill-controller', 'kill-one-after-another', 'kill-two'],
  /** SIGSTOP past the session, then SIGCONT: a zombie. */
  pause: ['pause-leader', 'pause-controller'],
  /** Cuts between nodes; clients still reach all of them. */
  partition: ['cut-off', 'cut-outgoing', 'cut-incoming'],
  /** SIGTERM of each in turn. */
  restart: ['rolling-restart'],
  /** Requests arrive, their answers do not: to producers, and between nodes. */
  answers: ['lost-answers', 'lost-node-answers'],
  /** What a node sends to the others is late. */
  delay: ['slow-node'],
} as const;

export type FaultFamily = keyof typeof faultFamilies;
export type FaultKind = (typeof faultFamilies)[FaultFamily][number];

export const families = Object.keys(faultFamilies) as readonly FaultFamily[];

/** Of a node alone: nobody is there to be cut off from. */
export const familiesOfOneNode: readonly FaultFamily[] = ['kill', 'restart', 'answers'];

/** Of a family, or one by its own name; none where there is no such. */
export function kindsOf(name: string, from: readonly FaultFamily[]): readonly FaultKind[] {
  const family = from.find((one) => one === name);
  if (family !== undefined) return faultFamilies[family];
  return from.flatMap((one): readonly FaultKind[] => faultFamilies[one]).filter((kind) => kind === name);
}

export interface PlannedFault {
  readonly kind: FaultKind;
  /** The node, or the partition whose leader it is: taken modulo how many there are. */
  readonly target: number;
  /** How long it lasts, as a share of what this kind may last. */
  readonly length: number;
  /** Until the next one, as a share of the longest calm. */
  readonly calm: number;
}

const MOST_TARGETS = 1_000_000;

export class FaultPlan {
  readonly #choices: SeededChoices;
  readonly #kinds: readonly FaultKind[];
  #left: FaultKind[] = [];

  constructor(seed: number, chosen: readonly FaultKind[]) {
    this.#choices = new SeededChoices(seed);
    this.#kinds = chosen;
  }

  /** Each kind has its turn before one comes again. */
  next(): PlannedFault {
    if (this.#left.length === 0) this.#left = this.#choices.shuffled(this.#kinds);
    const kind = this.#left.pop();
    if (kind === undefined) throw new Error('a plan needs at least one kind of fault');
    return {
      kind,
      target: this.#choices.between(0, MOST_TARGETS),
      length: this.#choices.fraction(),
      calm: this.#choices.fraction(),
    };
  }
}
