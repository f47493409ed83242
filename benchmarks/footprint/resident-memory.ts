/** Resident memory of another process: from `/proc` on Linux, from `ps` elsewhere. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const KIB = 1024;
const SAMPLE_EVERY_MS = 50;

export function residentBytes(processId: number): number {
  if (process.platform === 'linux') {
    const [, kibibytes] =
      /^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? [];
    return Number(kibibytes) * KIB;
  }
  const kibibytes = execFileSync('ps', ['-o', 'rss=', '-p', String(processId)], { encoding: 'utf8' });
  return Number(kibibytes.trim()) * KIB;
}

/** The most that was resident while `work` went on, by samples. */
export async function mostResidentBytes(processId: number, work: () => Promise<void>): Promise<number> {
  let most = residentBytes(processId);
  const sample = (): void => {
    most = Math.max(most, residentBytes(processId));
  };
  const sampling = setInterval(sample, SAMPLE_EVERY_MS);
  try {
    await work();
    sample();
    return most;
  } finally {
    clearInterval(sampling);
  }
}
