/** Finding a program as a shell does. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first of the names that any folder of the path has; an earlier name wins over an earlier folder. */
export function findOnPath(names: readonly string[], path: string): string | undefined {
  for (const name of names) {
    for (const folder of path.split(delimiter)) {
      const candidate = join(folder, name);
      if (folder !== '' && isExecutable(candidate)) return candidate;
    }
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
