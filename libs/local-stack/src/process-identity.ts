/**
 * Whether a pid that was written down is still the same process. Pids are used again, so a pid alone is never
 * enough to send a signal: the start time goes with it, and on Linux the boot it belongs to.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Field 22 of /proc/<pid>/stat, counted after the command name, which may hold blanks and brackets. */
const START_TIME_AFTER_NAME = 19;

function statFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** A text that differs for every process that ever ran here; undefined when no such process lives. */
export function processStartTime(pid: number): string | undefined {
  if (process.platform === 'linux') {
    const fields = statFields(pid);
    const ticks = fields?.[START_TIME_AFTER_NAME];
    // A zombie has ended; its parent only has not asked yet.
    if (ticks === undefined || fields?.[0] === 'Z') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${ticks}`;
  }
  try {
    const listed = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    }).trim();
    return listed === '' || listed.startsWith('Z') ? undefined : listed.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}

export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

export function identityOf(pid: number): ProcessIdentity | undefined {
  const startTime = processStartTime(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return processStartTime(identity.pid) === identity.startTime;
}

/** The command line of a live process, blanks between the arguments; empty when it cannot be read. */
export function commandLineOf(pid: number): string {
  try {
    if (process.platform === 'linux') {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    }
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}
