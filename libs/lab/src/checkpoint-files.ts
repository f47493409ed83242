/** Kafka's checkpoint files, read from a broker's disk. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `leader-epoch-checkpoint` in one line: version, count, then epoch and start offset of each. Empty where there is none. */
export function epochFile(partitionFolder: string): string {
  return oneLine(join(partitionFolder, 'leader-epoch-checkpoint'));
}

/** The high watermark on disk, or null while the file does not tell one. */
export function checkpointedHighWatermark(
  logDirectory: string,
  topic: string,
  partition: number,
): number | null {
  const lines = linesOf(join(logDirectory, 'replication-offset-checkpoint'));
  const own = lines
    .map((line) => line.split(' '))
    .find(([name, index]) => name === topic && index === `${partition}`);
  return own?.[2] === undefined ? null : Number(own[2]);
}

function oneLine(file: string): string {
  return linesOf(file).join(' ');
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
