/** Command lines of live processes that work on a folder: its name stands in their arguments or is where they are. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export function processesOf(folder: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const isIn = readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
        return command.includes(folder) || isIn ? [command] : [];
      } catch {
        // It has ended meanwhile, or is another user's.
        return [];
      }
    });
}
