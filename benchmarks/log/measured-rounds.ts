/**
 * Runs subjects beside each other, in turning order, and takes of each round its rate and the processor time that it
 * cost, threads of the pool included. Rates of different rounds are not compared: the ratios within a round are, and
 * their median counts. On a shared machine the processor time is the steadier of the two.
 */
export interface Subject {
  readonly name: string;
  /** What an acknowledgement of it means, or where what it reads lies. */
  readonly durability: string;
  readonly work: () => number | Promise<number>;
}

export interface Comparison {
  readonly title: string;
  readonly bytesPerCall: number;
  /** The first is held against the others. */
  readonly subjects: readonly Subject[];
}

export interface Row {
  readonly subject: string;
  readonly durability: string;
  /** MB/s, median and the slowest and fastest round. */
  readonly rate: number;
  readonly spread: readonly [number, number];
  readonly cpuMicrosecondsPerMebibyte: number;
  /** The first subject's rate over this one's. */
  readonly rateOfFirst: number;
  /** The first subject's processor time over this one's. */
  readonly cpuOfFirst: number;
}

export interface ComparisonResult {
  readonly title: string;
  readonly rows: readonly Row[];
}

interface Measured {
  readonly rate: number;
  readonly cpu: number;
}

const MIB = 1024 * 1024;
const MILLISECONDS_PER_TURN = 100;

export async function compare(
  { title, bytesPerCall, subjects }: Comparison,
  rounds: number,
): Promise<ComparisonResult> {
  const taken = subjects.map((): Measured[] => []);
  for (const subject of subjects) await turn(subject, bytesPerCall);
  for (let round = 0; round < rounds; round += 1) {
    for (let place = 0; place < subjects.length; place += 1) {
      const which = (place + round) % subjects.length;
      const subject = subjects[which];
      if (subject !== undefined) taken[which]?.push(await turn(subject, bytesPerCall));
    }
  }
  const first = taken[0] ?? [];
  const rows = subjects.map((subject, which): Row => {
    const own = taken[which] ?? [];
    const rates = own.map((measured) => measured.rate);
    return {
      subject: subject.name,
      durability: subject.durability,
      rate: median(rates),
      spread: [Math.min(...rates), Math.max(...rates)],
      cpuMicrosecondsPerMebibyte: median(own.map((measured) => measured.cpu)),
      rateOfFirst: median(own.map((measured, round) => (first[round]?.rate ?? Number.NaN) / measured.rate)),
      cpuOfFirst: median(own.map((measured, round) => (first[round]?.cpu ?? Number.NaN) / measured.cpu)),
    };
  });
  return { title, rows };
}

let sink = 0;

async function turn(subject: Subject, bytesPerCall: number): Promise<Measured> {
  const before = process.cpuUsage();
  const start = performance.now();
  let calls = 0;
  let elapsed = 0;
  while (elapsed < MILLISECONDS_PER_TURN) {
    const result = subject.work();
    sink += typeof result === 'number' ? result : await result;
    calls += 1;
    elapsed = performance.now() - start;
  }
  const used = process.cpuUsage(before);
  if (!Number.isFinite(sink)) throw new Error('a subject gave no number');
  const bytes = calls * bytesPerCall;
  return { rate: bytes / 1000 / elapsed, cpu: (used.user + used.system) / (bytes / MIB) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
