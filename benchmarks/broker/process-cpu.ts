/** CPU time that a process has used so far, all threads, in nanoseconds, as the scheduler counts it. */
import { readdirSync, readFileSync } from 'node:fs';

export function cpuNanoseconds(processId: number): number {
  let total = 0;
  for (const task of readdirSync(`/proc/${processId}/task`)) {
    try {
      const [onCpu] = readFileSync(`/proc/${processId}/task/${task}/schedstat`, 'utf8').split(' ');
      total += Number(onCpu);
    } catch {
      // The thread ended between the two reads.
    }
  }
  return total;
}
