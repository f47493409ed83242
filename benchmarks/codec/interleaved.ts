/**
 * Measures subjects beside each other: in every round each subject runs once, in turning order, so that a noisy
 * neighbour hits all alike. What counts is the median of the ratios within a round, not rates of different times.
 */
export interface Subject {
  readonly name: string;
  /** Does the work once; gives a number that depends on all of it, so that nothing is optimised away. */
  readonly work: () => number | Promise<number>;
}

export interface Comparison {
  readonly title: string;
  /** What one call of `work` counts for: records, or bytes. */
  readonly unitsPerCall: number;
  readonly unit: 'records/s' | 'MB/s';
  readonly subjects: readonly Subject[];
}

export interface Row {
  readonly subject: string;
  /** Median over the rounds. */
  readonly rate: number;
  /** Slowest and fastest round. */
  readonly spread: readonly [number, number];
  /** The first subject's rate over this one's, median of the ratios within a round. */
  readonly firstIsTimesFaster: number;
}

export interface ComparisonResult {
  readonly title: string;
  readonly unit: string;
  readonly rows: readonly Row[];
}

export interface Effort {
  readonly rounds: number;
  readonly millisecondsPerTurn: number;
}

export async function compare(comparison: Comparison, effort: Effort): Promise<ComparisonResult> {
  const { subjects, unitsPerCall } = comparison;
  const rates = subjects.map((): number[] => []);
  for (const subject of subjects) await turn(subject, unitsPerCall, effort.millisecondsPerTurn);
  for (let round = 0; round < effort.rounds; round++) {
    for (let place = 0; place < subjects.length; place++) {
      const which = (place + round) % subjects.length;
      const rate = await turn(subjects[which] as Subject, unitsPerCall, effort.millisecondsPerTurn);
      (rates[which] as number[]).push(rate);
    }
  }
  const [first = []] = rates;
  const rows = subjects.map(({ name }, which): Row => {
    const own = rates[which] as number[];
    return {
      subject: name,
      rate: median(own),
      spread: [Math.min(...own), Math.max(...own)],
      firstIsTimesFaster: median(own.map((rate, round) => (first[round] as number) / rate)),
    };
  });
  return { title: comparison.title, unit: comparison.unit, rows };
}

let sink = 0;

/** Units per second over at least the given time. */
async function turn(subject: Subject, unitsPerCall: number, milliseconds: number): Promise<number> {
  const start = performance.now();
  let calls = 0;
  let elapsed = 0;
  while (elapsed < milliseconds) {
    const result = subject.work();
    sink += typeof result === 'number' ? result : await result;
    calls++;
    elapsed = performance.now() - start;
  }
  if (!Number.isFinite(sink)) throw new Error('a subject gave no number');
  return (calls * unitsPerCall * 1000) / elapsed;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
