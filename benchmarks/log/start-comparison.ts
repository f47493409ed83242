/** Starts of a log: after an unclean stop beside a bare loop over the same file, and after a clean one. */
import * as fs from 'node:fs';
import { batchCrc, batchSizeInBytes, crc32c } from '@seatlog/kafka-protocol';
import { closeLog, fill, openLog, type OpenedLog, TOPIC } from './log-under-test.ts';
import { median } from './measured-rounds.ts';

const MIB = 1024 * 1024;
const CRC_FROM = 21;

export interface RecoveryResult {
  readonly title: string;
  readonly mebibytes: number;
  readonly recovery: Spent;
  readonly bareLoop: Spent;
  /** Bare loop's time over recovery's, median of the rounds. */
  readonly rateOfBareLoop: number;
  readonly cpuOfBareLoop: number;
}

/** Milliseconds, of the wall clock and of the processor. */
export interface Spent {
  readonly wall: number;
  readonly cpu: number;
}

export interface CleanOpenResult {
  readonly title: string;
  readonly mebibytes: number;
  readonly segments: number;
  readonly medianMs: number;
  readonly worstMs: number;
}

async function fillAndClose(
  path: string,
  mebibytes: number,
  batchBytes: number,
  segmentBytes: number,
  idempotent = false,
): Promise<void> {
  const opened = openLog(path, { config: { segmentBytes } });
  await fill(opened.log, mebibytes, batchBytes, idempotent);
  await closeLog(opened);
}

/** The whole log is past the recovery point: all of it is read and checked. */
export async function recoveryComparison(
  directory: string,
  mebibytes: number,
  batchBytes: number,
  rounds: number,
  idempotent = false,
): Promise<RecoveryResult> {
  const kind = idempotent ? 'idempotent' : 'plain';
  const path = `${directory}/recovery-${batchBytes}-${kind}`;
  await fillAndClose(path, mebibytes, batchBytes, 1024 * MIB, idempotent);
  const file = `${path}/${TOPIC}-0/${'0'.repeat(20)}.log`;
  const recoveries: Spent[] = [];
  const loops: Spent[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const recovery = await timeRecovery(path);
    const loop = spentOn(() => bareLoop(file));
    // The first round warms up.
    if (round === 0) continue;
    recoveries.push(recovery);
    loops.push(loop);
  }
  const ratio = (of: keyof Spent): number =>
    median(loops.map((loop, round) => loop[of] / (recoveries[round]?.[of] ?? Number.NaN)));
  return {
    title: `recovery of ${mebibytes} MiB in ${batchBytes / 1024} KiB batches${idempotent ? ' of one idempotent producer' : ''}`,
    mebibytes,
    recovery: medianOf(recoveries),
    bareLoop: medianOf(loops),
    rateOfBareLoop: ratio('wall'),
    cpuOfBareLoop: ratio('cpu'),
  };
}

function medianOf(spent: readonly Spent[]): Spent {
  return { wall: median(spent.map((one) => one.wall)), cpu: median(spent.map((one) => one.cpu)) };
}

export function spentOn(action: () => void): Spent {
  const before = process.cpuUsage();
  const start = performance.now();
  action();
  const used = process.cpuUsage(before);
  return { wall: performance.now() - start, cpu: (used.user + used.system) / 1000 };
}

async function timeRecovery(path: string): Promise<Spent> {
  fs.rmSync(`${path}/.kafka_cleanshutdown`);
  fs.rmSync(`${path}/recovery-point-offset-checkpoint`);
  let opened: OpenedLog | null = null;
  const spent = spentOn(() => {
    opened = openLog(path);
  });
  if (opened !== null) await closeLog(opened);
  return spent;
}

/** Reads a segment file and checks the CRC of each batch, in memory of its own and nothing else. */
export function bareLoop(path: string): void {
  const descriptor = fs.openSync(path, 'r');
  const buffer = Buffer.allocUnsafeSlow(MIB);
  for (let position = 0; ; ) {
    const length = fs.readSync(descriptor, buffer, 0, MIB, position);
    let at = 0;
    while (at + CRC_FROM <= length) {
      const end = at + batchSizeInBytes(buffer, at);
      // The rest of this batch comes with the next read, which begins at its head.
      if (end > length) break;
      if (crc32c(buffer, at + CRC_FROM, end) !== batchCrc(buffer, at)) throw new Error('the file is damaged');
      at = end;
    }
    if (at === 0) break;
    position += at;
  }
  fs.closeSync(descriptor);
}

export async function cleanOpen(
  directory: string,
  mebibytes: number,
  segmentBytes: number,
  rounds: number,
): Promise<CleanOpenResult> {
  const path = `${directory}/clean-${segmentBytes}`;
  await fillAndClose(path, mebibytes, 16 * 1024, segmentBytes);
  const times: number[] = [];
  let segments = 0;
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    const opened = openLog(path, { config: { segmentBytes } });
    times.push(performance.now() - start);
    segments = opened.log.describeSegments().length;
    await closeLog(opened);
  }
  fs.rmSync(path, { recursive: true });
  return {
    title: `open ${mebibytes} MiB after a clean stop`,
    mebibytes,
    segments,
    medianMs: median(times),
    worstMs: Math.max(...times),
  };
}
