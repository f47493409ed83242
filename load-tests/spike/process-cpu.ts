/**
 * CPU time of processes and all that they have started (PostgreSQL serves each connection by a process), from /proc. Where
 * there is no /proc there are no figures: wall time on a shared machine says little, so none are made up.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second for every program, whatever the kernel ticks at. */
const TICKS_PER_SECOND = 100;

interface ProcessTime {
  readonly parent: number;
  readonly ticks: number;
}

/** In seconds, by name; null where the system does not tell. */
export function cpuSeconds(pids: ReadonlyMap<string, number>): ReadonlyMap<string, number> | null {
  const times = readTimes();
  if (times === null) return null;
  const children = Map.groupBy(times.keys(), (pid) => times.get(pid)?.parent ?? 0);
  const ticksOf = (pid: number): number =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + ticksOf(child), times.get(pid)?.ticks ?? 0);
  return new Map([...pids].map(([name, pid]) => [name, ticksOf(pid) / TICKS_PER_SECOND] as const));
}

function readTimes(): ReadonlyMap<number, ProcessTime> | null {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return new Map(
      pids.flatMap((pid) => {
        const time = readTime(pid);
        return time === null ? [] : [[Number(pid), time] as const];
      }),
    );
  } catch {
    return null;
  }
}

function readTime(pid: string): ProcessTime | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // It has ended meanwhile.
    return null;
  }
}

/** `pid (name) state ppid ...`: the name may hold anything, so fields are counted from its closing bracket. */
export function parseStat(stat: string): ProcessTime {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const number = (index: number): number => Number(fields[index] ?? 0);
  // Own user and system time, and those of children that have ended and were waited for.
  return { parent: number(1), ticks: number(11) + number(12) + number(13) + number(14) };
}
