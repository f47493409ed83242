// A copy of the libraries that a simulation is made of, with one mutant's edit. It lies in the repository's cache, so
// that packages from outside resolve as they do for the original.
import fs from 'node:fs';
import path from 'node:path';
import type { Mutant } from './mutant.ts';

const repository = path.resolve(import.meta.dirname, '..', '..', '..');
/** Those that import one another; what they import besides is the repository's own. */
const COPIED = ['commit-log', 'metadata-quorum', 'replication', 'simulation'];

export class MutatedCopy implements Disposable {
  readonly folder: string;

  constructor(mutant: Mutant) {
    this.folder = path.join(repository, '.cache', 'mutants', `${mutant.id}-${process.pid}`);
    fs.rmSync(this.folder, { recursive: true, force: true });
    const scope = path.join(this.folder, 'node_modules', '@seatlog');
    fs.mkdirSync(scope, { recursive: true });
    for (const name of COPIED) {
      const target = path.join(this.folder, 'libs', name);
      const isSource = (file: string): boolean =>
        !file.endsWith('.test.ts') && !file.includes('node_modules');
      fs.cpSync(path.join(repository, 'libs', name), target, { recursive: true, filter: isSource });
      fs.symlinkSync(target, path.join(scope, name), 'dir');
    }
    const edited = path.join(this.folder, mutant.file);
    fs.writeFileSync(edited, mutated(mutant, fs.readFileSync(edited, 'utf8')));
  }

  /** To be imported in place of `@seatlog/simulation`. */
  get library(): string {
    return path.join(this.folder, 'libs', 'simulation', 'src', 'index.ts');
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Throws if the place is not there exactly once: then the code has moved on, and the mutant has to follow. */
export function mutated({ id, file, find, replace }: Mutant, source: string): string {
  const times = source.split(find).length - 1;
  if (times !== 1)
    throw new Error(`mutant ${id}: its place occurs ${times} times in ${file}, not once:\n${find}`);
  return source.replace(find, () => replace);
}
