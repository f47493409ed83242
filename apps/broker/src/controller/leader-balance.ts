/**
 * Gives leaderships back to preferred replicas while this node is the active controller, every
 * `leader.imbalance.check.interval.seconds` (`auto.leader.rebalance.enable`). Many at once are moved in several decisions,
 * one after another.
 */
import { balanceLeaders, type ConfigSchema } from '@seatlog/metadata-quorum';
import type { Cancel, Timers } from '@seatlog/runtime';
import type { BrokerConfig } from '../config/broker-config.ts';
import type { Logger } from '../logger.ts';
import type { ControllerTerm } from '../quorum/metadata-quorum.ts';

/** So many leaderships move in one decision. */
const MAX_ELECTIONS = 1000;

export interface LeaderBalanceOptions {
  readonly config: BrokerConfig;
  readonly schema: ConfigSchema;
  readonly timers: Timers;
  readonly log: Logger;
}

export class LeaderBalance {
  readonly #options: LeaderBalanceOptions;
  #term: ControllerTerm | null = null;
  #cancel: Cancel | null = null;

  constructor(options: LeaderBalanceOptions) {
    this.#options = options;
  }

  begin(term: ControllerTerm): void {
    if (!this.#options.config.values['auto.leader.rebalance.enable']) return;
    this.#term = term;
    this.#lookLater(this.#intervalMs);
  }

  end(): void {
    this.#term = null;
    this.#cancel?.();
    this.#cancel = null;
  }

  get #intervalMs(): number {
    return this.#options.config.values['leader.imbalance.check.interval.seconds'] * 1000;
  }

  #lookLater(delayMs: number): void {
    this.#cancel = this.#options.timers.schedule(delayMs, () => this.#balance());
  }

  #balance(): void {
    const term = this.#term;
    if (term === null) return;
    const { config, schema, log } = this.#options;
    const limits = {
      imbalancePercentage: config.values['leader.imbalance.per.broker.percentage'],
      maxElections: MAX_ELECTIONS,
    };
    term.change(
      (image) => balanceLeaders(image, limits, schema),
      (outcome) => {
        if (this.#term !== term) return;
        const { elected, more } = outcome.kind === 'committed' ? outcome.answer : { elected: 0, more: false };
        if (elected > 0) log.info('Gave leaderships back to preferred replicas', { elected });
        this.#lookLater(more ? 0 : this.#intervalMs);
      },
    );
  }
}
