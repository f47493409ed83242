/**
 * What a broker tells the controller of replicas whose logs take no more, so that others lead (F7, F8), and of those
 * that do again.
 *
 * A log takes no more when its disk is full, which may pass, when it is fenced, or when it could not be opened. Such a
 * replica is said to be lost, while the metadata has it in sync beside others. One that found no room is tried again and
 * again, for nothing may come that would show that there is some: what is in sync has nothing to append, and what is
 * below its minimum takes nothing. Once it takes appends it is said to be found.
 *
 *     lookAt                  there is news of a replica: of its log, or of what the metadata says of it
 *     told, failing or not    the report was answered, or came to nothing: the metadata is looked at after a pause
 *     due                     the pause is over
 *     probed                  there is room, or still none
 *
 * Promises: one thing at a time for each replica, a pause between two, and no end before the metadata says what is so.
 */
export interface ReportedReplica {
  readonly topicId: string;
  readonly index: number;
  /** Its log took nothing when it was last tried. */
  readonly isFailing: boolean;
  /** Its log takes nothing till it is opened anew. */
  readonly isFenced: boolean;
  /** In the ISR, as the metadata has it, and not alone there. */
  readonly isInSync: boolean;
  /** Its directory is lost, as the metadata has it. */
  readonly isMarkedLost: boolean;
}

/**
 * - `tell`: to the controller; `told` comes back once.
 * - `probe`: whether there is room for an append; `probed` comes back once, with room after the replica knows of it.
 * - `arm-pause`: give `due` back after the delay.
 */
export type ReportEffect<Replica extends ReportedReplica> =
  | { readonly type: 'tell'; readonly replica: Replica; readonly isLost: boolean }
  | { readonly type: 'probe'; readonly replica: Replica }
  | { readonly type: 'arm-pause'; readonly replica: Replica; readonly delayMs: number };

/** Between two reports of one replica, or two looks at its disk. */
export const REPORT_PAUSE_MS = 1000;

export class ReplicaReports<Replica extends ReportedReplica> {
  readonly #pauseMs: number;
  /** By topic id and partition: as it was told of last, while something of it is under way. */
  readonly #underWay = new Map<string, Replica>();

  constructor(pauseMs = REPORT_PAUSE_MS) {
    this.#pauseMs = pauseMs;
  }

  lookAt(replica: Replica): ReportEffect<Replica> | null {
    const key = keyOf(replica);
    const isUnderWay = this.#underWay.has(key);
    if (isUnderWay) {
      this.#underWay.set(key, replica);
      return null;
    }
    const effect = this.#next(replica);
    if (effect !== null) this.#underWay.set(key, replica);
    return effect;
  }

  told(replica: Replica): ReportEffect<Replica> {
    return { type: 'arm-pause', replica: this.#latest(replica), delayMs: this.#pauseMs };
  }

  due(replica: Replica): ReportEffect<Replica> | null {
    const latest = this.#latest(replica);
    if (mustBeProbed(latest)) return { type: 'probe', replica: latest };
    this.#underWay.delete(keyOf(replica));
    return this.lookAt(latest);
  }

  probed(replica: Replica): ReportEffect<Replica> | null {
    const latest = this.#latest(replica);
    this.#underWay.delete(keyOf(replica));
    return this.lookAt(latest);
  }

  /** The replica is here no more. */
  forget(replica: Replica): void {
    this.#underWay.delete(keyOf(replica));
  }

  #latest(replica: Replica): Replica {
    return this.#underWay.get(keyOf(replica)) ?? replica;
  }

  /** Null: the metadata says what is so, and nothing is to be found out. */
  #next(replica: Replica): ReportEffect<Replica> | null {
    const { isFailing, isInSync, isMarkedLost } = replica;
    if (isFailing && isInSync && !isMarkedLost) return { type: 'tell', replica, isLost: true };
    if (mustBeProbed(replica)) return { type: 'arm-pause', replica, delayMs: this.#pauseMs };
    return isMarkedLost && !isFailing ? { type: 'tell', replica, isLost: false } : null;
  }
}

/** Its disk was full, and may have room again. */
function mustBeProbed({ isFailing, isFenced, isInSync, isMarkedLost }: ReportedReplica): boolean {
  return isFailing && !isFenced && (isMarkedLost || !isInSync);
}

function keyOf({ topicId, index }: ReportedReplica): string {
  return `${topicId}:${index}`;
}
