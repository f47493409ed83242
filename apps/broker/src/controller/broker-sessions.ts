/**
 * Which brokers the active controller hears of: a session per broker, alive for `broker.session.timeout.ms` after each
 * heartbeat. Pure: times are those of the monotonic clock, as arguments.
 *
 *     open       a registration, or a controller that takes over, begins a session
 *     heardOf    a heartbeat prolongs it
 *     extend     the controller itself stood still: nobody's session runs out for that (F27)
 *     close      the broker is fenced, or gone
 *
 * A session belongs to one broker epoch: what an earlier incarnation sends does not keep a later one alive.
 */
export interface ExpiredSession {
  readonly brokerId: number;
  readonly brokerEpoch: number;
}

interface Session {
  readonly brokerEpoch: number;
  lastHeard: number;
  /** How far its metadata is, by its last heartbeat; -1 before the first. */
  metadataOffset: number;
  /** Where the metadata log ended when its controlled shutdown began; null while there is none. */
  shutdownOffset: number | null;
}

export class BrokerSessions {
  readonly #timeoutMs: number;
  readonly #sessions = new Map<number, Session>();

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Does nothing for a session of the same epoch: a registration that is sent twice begins nothing anew. */
  open(brokerId: number, brokerEpoch: number, now: number): void {
    const session = this.#sessions.get(brokerId);
    if (session?.brokerEpoch === brokerEpoch) session.lastHeard = now;
    else {
      this.#sessions.set(brokerId, {
        brokerEpoch,
        lastHeard: now,
        metadataOffset: -1,
        shutdownOffset: null,
      });
    }
  }

  heardOf(brokerId: number, brokerEpoch: number, metadataOffset: number, now: number): void {
    this.open(brokerId, brokerEpoch, now);
    const session = this.#sessions.get(brokerId);
    if (session !== undefined) session.metadataOffset = Math.max(session.metadataOffset, metadataOffset);
  }

  close(brokerId: number, brokerEpoch: number): void {
    if (this.#sessions.get(brokerId)?.brokerEpoch === brokerEpoch) this.#sessions.delete(brokerId);
  }

  /** Gives every session more time. */
  extend(milliseconds: number): void {
    for (const session of this.#sessions.values()) session.lastHeard += milliseconds;
  }

  isAlive(brokerId: number, brokerEpoch: number, now: number): boolean {
    const session = this.#sessions.get(brokerId);
    return session?.brokerEpoch === brokerEpoch && !this.#isOver(session, now);
  }

  /** When the next session ends if nothing is heard; Infinity without any. */
  get nextExpiry(): number {
    const heard = [...this.#sessions.values()].map(({ lastHeard }) => lastHeard);
    return Math.min(...heard) + this.#timeoutMs;
  }

  expired(now: number): readonly ExpiredSession[] {
    return [...this.#sessions]
      .filter(([, session]) => this.#isOver(session, now))
      .map(([brokerId, { brokerEpoch }]) => ({ brokerId, brokerEpoch }));
  }

  /** True for what the broker said before something that was heard of it already: its metadata never goes back. */
  isLate(brokerId: number, metadataOffset: number): boolean {
    return metadataOffset < (this.#sessions.get(brokerId)?.metadataOffset ?? -1);
  }

  /** The first call of a shutdown notes the offset; all give what was noted. */
  shutdownBegan(brokerId: number, offset: number): number {
    const session = this.#sessions.get(brokerId);
    if (session === undefined) return offset;
    session.shutdownOffset ??= offset;
    return session.shutdownOffset;
  }

  /** True when each of these brokers has said that its metadata is at least as far. */
  haveReached(brokerIds: readonly number[], offset: number): boolean {
    return brokerIds.every((brokerId) => (this.#sessions.get(brokerId)?.metadataOffset ?? -1) >= offset);
  }

  #isOver(session: Session, now: number): boolean {
    return now - session.lastHeard >= this.#timeoutMs;
  }
}
