/**
 * What the active controller does beyond deciding when asked: it keeps the brokers' sessions, fences those that it does
 * not hear of any more, and gives leaderships back to preferred replicas.
 *
 * All of it lives for one term. At its beginning every unfenced broker gets a fresh session, for this node cannot know
 * whom the controller before it heard of; the one that was that controller is an exception. Outside of a term everything
 * is answered with NOT_CONTROLLER.
 */
import {
  bootstrapRecords,
  type BrokerAnswer,
  type BrokerToRegister,
  type ChangeOutcome,
  type ClusterImage,
  type ConfigSchema,
  type Decision,
  fenceBroker,
  liveBrokers,
  registerBroker,
} from '@seatlog/metadata-quorum';
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { Cancel, Clock, Random, Timers } from '@seatlog/runtime';
import type { BrokerConfig } from '../config/broker-config.ts';
import type { Logger } from '../logger.ts';
import type { BrokerMetrics } from '../metrics.ts';
import type { ControllerTerm, MetadataQuorum } from '../quorum/metadata-quorum.ts';
import { BrokerSessions } from './broker-sessions.ts';
import { LeaderBalance } from './leader-balance.ts';
import { decideHeartbeat, type Heartbeat, type HeartbeatAnswer } from './heartbeat-decision.ts';

/** Sessions are looked at when the next one is to end, and so often at least; four times in a session if that is more often. */
const SESSION_CHECK_MS = 500;
/** And not more often than that. */
const LEAST_CHECK_MS = 10;

export interface ActiveControllerOptions {
  readonly quorum: MetadataQuorum;
  readonly config: BrokerConfig;
  readonly schema: ConfigSchema;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: BrokerMetrics;
}

interface ActiveTerm {
  readonly term: ControllerTerm;
  readonly sessions: BrokerSessions;
}

export class ActiveControllerService {
  readonly #options: ActiveControllerOptions;
  readonly #checkMs: number;
  readonly #balance: LeaderBalance;
  readonly #unhook: () => void;
  #active: ActiveTerm | null = null;
  #cancelCheck: Cancel | null = null;

  constructor(options: ActiveControllerOptions) {
    this.#options = options;
    this.#checkMs = Math.min(SESSION_CHECK_MS, options.config.values['broker.session.timeout.ms'] / 4);
    this.#balance = new LeaderBalance(options);
    this.#unhook = options.quorum.onTerm({
      termBegan: (term) => this.#begin(term),
      termEnded: () => this.#end(),
    });
  }

  stop(): void {
    this.#unhook();
    this.#end();
  }

  /** A process of a broker comes; a process with its id that is heard of keeps it out. */
  register(request: BrokerToRegister, done: (outcome: ChangeOutcome<BrokerAnswer>) => void): void {
    const { schema, clock, quorum, log } = this.#options;
    this.#change(({ sessions }, image) => {
      const now = clock.monotonic();
      const existing = image.brokers.get(request.brokerId);
      // A broker with the id of this node is in this process: the lock on its log directory keeps out any other.
      const sessionAlive =
        request.brokerId !== quorum.nodeId &&
        existing !== undefined &&
        sessions.isAlive(existing.id, existing.epoch, now);
      const decision = registerBroker(image, request, { schema, sessionAlive });
      const { errorCode, errorMessage, brokerEpoch } = decision.answer;
      if (errorCode === ErrorCode.NONE) sessions.open(request.brokerId, brokerEpoch, now);
      log.info(errorCode === ErrorCode.NONE ? 'Registered a broker' : 'Refused to register a broker', {
        brokerId: request.brokerId,
        incarnationId: request.incarnationId,
        brokerEpoch,
        ...(errorMessage === null ? {} : { errorMessage }),
      });
      return decision;
    }, done);
  }

  heartbeat(heartbeat: Heartbeat, done: (outcome: ChangeOutcome<HeartbeatAnswer>) => void): void {
    const { schema, clock, log } = this.#options;
    const { brokerId, brokerEpoch, currentMetadataOffset } = heartbeat;
    this.#change(({ sessions }, image) => {
      if (image.brokers.get(brokerId)?.epoch === brokerEpoch) {
        sessions.heardOf(brokerId, brokerEpoch, currentMetadataOffset, clock.monotonic());
      }
      const decision = decideHeartbeat(image, heartbeat, sessions, schema);
      if (decision.records.length > 0) {
        const { isFenced, shouldShutDown } = decision.answer;
        log.info('A heartbeat changed its broker', {
          brokerId,
          brokerEpoch,
          isFenced,
          wantShutDown: heartbeat.wantShutDown,
          shouldShutDown,
        });
      }
      return decision;
    }, done);
  }

  #change<Answer>(
    decide: (active: ActiveTerm, image: ClusterImage) => Decision<Answer>,
    done: (outcome: ChangeOutcome<Answer>) => void,
  ): void {
    const active = this.#active;
    if (active !== null) return active.term.change((image) => decide(active, image), done);
    const message = 'This node is not the active controller.';
    done({ kind: 'failed', errorCode: ErrorCode.NOT_CONTROLLER, message });
  }

  #begin(term: ControllerTerm): void {
    const { config, clock, log } = this.#options;
    const sessions = new BrokerSessions(config.values['broker.session.timeout.ms']);
    const now = clock.monotonic();
    for (const { id, epoch } of liveBrokers(term.writtenImage)) {
      sessions.open(id, epoch, this.#lastHeard(id, now));
    }
    this.#active = { term, sessions };
    log.info('This node is the active controller', { epoch: term.epoch });
    term.change(
      (image) => ({ records: bootstrapRecords(image), answer: null }),
      () => {},
    );
    this.#checkLater(now);
    this.#balance.begin(term);
  }

  /**
   * A broker that led the quorum before, in the same process, was last heard of when the quorum heard of it: its session
   * runs since then (F20). If it is alive it tells the new controller so at once; it has a whole interval for that.
   */
  #lastHeard(brokerId: number, now: number): number {
    const { quorum, config } = this.#options;
    const before = quorum.leaderBefore;
    if (before?.leaderId !== brokerId) return now;
    const latest =
      now - config.values['broker.session.timeout.ms'] + config.values['broker.heartbeat.interval.ms'];
    return Math.min(now, Math.max(before.lastHeardMs, latest));
  }

  #end(): void {
    if (this.#active === null) return;
    this.#options.log.info('This node is the active controller no more', { epoch: this.#active.term.epoch });
    this.#active = null;
    this.#balance.end();
    this.#cancelCheck?.();
    this.#cancelCheck = null;
  }

  #checkLater(lastCheck: number): void {
    const untilNextMs = (this.#active?.sessions.nextExpiry ?? Infinity) - lastCheck;
    const delayMs = Math.max(LEAST_CHECK_MS, Math.min(this.#checkMs, untilNextMs));
    this.#cancelCheck = this.#options.timers.schedule(delayMs, () => this.#checkSessions(lastCheck, delayMs));
  }

  #checkSessions(lastCheck: number, delayMs: number): void {
    const active = this.#active;
    if (active === null) return;
    const now = this.#options.clock.monotonic();
    const late = now - lastCheck - delayMs;
    // Heartbeats that came while this process stood still are not heard yet.
    if (late > this.#checkMs) active.sessions.extend(late);
    for (const { brokerId, brokerEpoch } of active.sessions.expired(now)) {
      this.#fence(active, brokerId, brokerEpoch);
    }
    this.#checkLater(now);
  }

  #fence({ term, sessions }: ActiveTerm, brokerId: number, brokerEpoch: number): void {
    const broker = term.writtenImage.brokers.get(brokerId);
    if (broker?.epoch !== brokerEpoch || broker.fenced) {
      sessions.close(brokerId, brokerEpoch);
      return;
    }
    const { schema, config, log } = this.#options;
    log.warn('Fencing a broker that is not heard of', {
      brokerId,
      brokerEpoch,
      sessionTimeoutMs: config.values['broker.session.timeout.ms'],
    });
    term.change(
      (image) => fenceBroker(image, brokerId, brokerEpoch, schema),
      () => {},
    );
  }
}
