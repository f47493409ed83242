/** What stood in the way, as far as the figures tell. Pure: thresholds over facts, each hint with its number. */
export interface SaturationFacts {
  readonly dropped: number;
  readonly latenessP99Ms: number;
  /** The worst second of each process. */
  readonly worstEventLoopP99Ms: Readonly<Record<string, number>>;
  /** Records the worker had not handled: when arrivals ended, and at most. */
  readonly backlogAtEnd: number | null;
  readonly worstBacklog: number | null;
  readonly refused: Readonly<Record<string, number>>;
  readonly acceptedPerSecond: number;
  /** CPU seconds of each process during the measurement; null where unknown. */
  readonly cpuSeconds: Readonly<Record<string, number>> | null;
  readonly wallSeconds: number;
  readonly cores: number;
  /** Of all processes of the machine, as the system counts it; null where unknown. */
  readonly loadAverage: number | null;
}

/** A loop that is this late now and then is simply busy. */
const LATE_LOOP_MS = 100;
const LATE_GENERATOR_MS = 20;
/** A backlog of so many seconds' worth of orders is one that grows. */
const BACKLOG_SECONDS = 1;
const BUSY_SHARE = 0.85;

export function saturationHints(facts: SaturationFacts): readonly string[] {
  return [...generatorHints(facts), ...systemHints(facts), ...machineHints(facts)];
}

function generatorHints({ dropped, latenessP99Ms }: SaturationFacts): readonly string[] {
  const hints: string[] = [];
  if (dropped > 0) {
    hints.push(
      `${dropped} arrivals were dropped: the offered rate was not reached, and latencies look better than they are`,
    );
  }
  if (latenessP99Ms > LATE_GENERATOR_MS) {
    hints.push(
      `the generator noticed 1 % of the arrivals more than ${ms(latenessP99Ms)} late: it competes for the cores, and all latencies contain that`,
    );
  }
  return hints;
}

function systemHints(facts: SaturationFacts): readonly string[] {
  const { worstEventLoopP99Ms, backlogAtEnd, acceptedPerSecond, refused } = facts;
  const hints = Object.entries(worstEventLoopP99Ms)
    .filter(([, lag]) => lag > LATE_LOOP_MS)
    .map(([name, lag]) => `the event loop of ${name} was up to ${ms(lag)} late (p99 of its worst second)`);
  if (backlogAtEnd !== null && backlogAtEnd > acceptedPerSecond * BACKLOG_SECONDS) {
    hints.push(
      `the worker was ${backlogAtEnd} records behind when arrivals ended: it is slower than they come`,
    );
  }
  const overloaded = refused['OVERLOADED'] ?? 0;
  if (overloaded > 0)
    hints.push(`the booking API turned ${overloaded} away (OVERLOADED): see its admission limits`);
  return hints;
}

function machineHints({ cpuSeconds, wallSeconds, cores, loadAverage }: SaturationFacts): readonly string[] {
  if (cpuSeconds === null) return [];
  const ofAll = Object.entries(cpuSeconds).toSorted(([, a], [, b]) => b - a);
  const used = ofAll.reduce((sum, [, seconds]) => sum + seconds, 0) / wallSeconds;
  const hints = ofAll
    .filter(([name, seconds]) => name !== 'postgres' && seconds / wallSeconds > BUSY_SHARE)
    .map(([name, seconds]) => `${name} kept a core busy: ${percent(seconds / wallSeconds)} of one`);
  if (used > cores * BUSY_SHARE)
    hints.push(`the run used ${used.toFixed(1)} of ${cores} cores: the machine is full`);
  if (loadAverage !== null && loadAverage - used > cores * BUSY_SHARE) {
    hints.push(
      `others work on this machine (load ${loadAverage.toFixed(1)}): compare CPU times, not latencies`,
    );
  }
  return hints;
}

const ms = (value: number): string => `${Math.round(value)} ms`;
const percent = (share: number): string => `${Math.round(share * 100)} %`;
