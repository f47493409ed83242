/**
 * Puts together, second by second, what the generator tells and what the processes tell about themselves, and shows it as
 * a line: rewritten in place on a terminal, one below the other elsewhere.
 */
import type { Progress } from './generator-messages.ts';
import type { Gauges } from './stack-gauges.ts';
import type { TimelinePoint } from './spike-result.ts';

export interface LineOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const CLEAR_LINE = '\r\u001b[2K';

export class LiveFigures {
  readonly timeline: TimelinePoint[] = [];
  readonly #output: LineOutput;
  #gauges: Gauges = { eventLoopP99Ms: {}, backlog: null };

  constructor(output: LineOutput) {
    this.#output = output;
  }

  /** Shown and kept with the next progress. */
  gauged(gauges: Gauges): void {
    this.#gauges = gauges;
  }

  told(progress: Progress): void {
    const { section, elapsedMs, tally, latestAcceptP99Ms } = progress;
    if (section === 'measurement') {
      this.timeline.push({
        elapsedMs,
        offered: tally.offered,
        accepted: tally.accepted,
        refused: sumOf(tally.refused),
        dropped: tally.dropped,
        underWay: tally.underWay,
        acceptP99Ms: latestAcceptP99Ms,
        ...this.#gauges,
      });
    }
    const line = progressLine(progress, this.#gauges.backlog);
    this.#output.write(this.#output.isTTY === true ? `${CLEAR_LINE}${line}` : `${line}\n`);
  }

  /** Something happened meanwhile; the figures go on below. */
  note(line: string): void {
    this.#output.write(this.#output.isTTY === true ? `${CLEAR_LINE}${line}\n` : `${line}\n`);
  }

  /** The line that is shown stays, and what follows begins below it. */
  end(): void {
    if (this.#output.isTTY === true) this.#output.write('\n');
  }

  worstEventLoopP99Ms(): Readonly<Record<string, number>> {
    const worst: Record<string, number> = {};
    for (const { eventLoopP99Ms } of this.timeline) {
      for (const [name, lag] of Object.entries(eventLoopP99Ms)) worst[name] = Math.max(worst[name] ?? 0, lag);
    }
    return worst;
  }

  worstBacklog(): number | null {
    const known = this.timeline.flatMap(({ backlog }) => (backlog === null ? [] : [backlog]));
    return known.length === 0 ? null : Math.max(...known);
  }
}

export function progressLine(progress: Progress, backlog: number | null): string {
  const { section, elapsedMs, tally, acceptP99Ms, latenessP99Ms } = progress;
  const parts = [
    `${section === 'warm-up' ? 'warm-up ' : ''}${Math.round(elapsedMs / 1000)} s`,
    `offered ${tally.offered}`,
    `accepted ${tally.accepted}`,
    ...kinds('refused', tally.refused),
    ...kinds('no answer', tally.unanswered),
    `dropped ${tally.dropped}`,
    `under way ${tally.underWay + tally.waiting}`,
    `lag ${backlog ?? '?'}`,
    `p99 ${acceptP99Ms.toFixed(0)} ms`,
    `late ${latenessP99Ms.toFixed(1)} ms`,
  ];
  return parts.join('  ');
}

function kinds(what: string, counts: Readonly<Record<string, number>>): readonly string[] {
  const named = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
  return named.length === 0 ? [] : [`${what} ${named.join(', ')}`];
}

export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
