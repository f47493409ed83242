import { FileSystemError } from '../file-system.ts';
import { MemoryFile } from './memory-file.ts';
import type { SeededRandom } from './seeded-random.ts';

export type MemoryNode = MemoryFile | MemoryDirectory;

export class MemoryDirectory {
  readonly cached = new Map<string, MemoryNode>();
  readonly durable = new Map<string, MemoryNode>();
}

interface EntryChange {
  readonly directory: MemoryDirectory;
  readonly name: string;
  readonly node: MemoryNode | null;
}

/**
 * Names as a journaling file system keeps them: visible at once, lasting in their order. A power cut leaves some
 * prefix of the changes; syncing a directory makes all changes up to its own last one last.
 */
export class MemoryTree {
  readonly #root = new MemoryDirectory();
  #journal: (readonly EntryChange[])[] = [];

  find(path: string): MemoryNode | null {
    let node: MemoryNode = this.#root;
    for (const name of namesOf(path)) {
      if (!(node instanceof MemoryDirectory)) return null;
      const next: MemoryNode | undefined = node.cached.get(name);
      if (next === undefined) return null;
      node = next;
    }
    return node;
  }

  file(path: string, operation: string): MemoryFile {
    const node = this.find(path);
    if (node instanceof MemoryFile) return node;
    throw new FileSystemError(node === null ? 'ENOENT' : 'EISDIR', operation, path, 'no such file');
  }

  directory(path: string, operation: string): MemoryDirectory {
    const node = this.find(path);
    if (node instanceof MemoryDirectory) return node;
    throw new FileSystemError(node === null ? 'ENOENT' : 'ENOTDIR', operation, path, 'no such directory');
  }

  put(path: string, node: MemoryNode | null, operation: string): void {
    this.#change([{ ...this.#entry(path, operation), node }]);
  }

  rename(from: string, to: string): void {
    const node = this.find(from);
    if (node === null) throw new FileSystemError('ENOENT', 'rename', from, 'no such file');
    const target = this.find(to);
    if (target instanceof MemoryDirectory && target.cached.size > 0) {
      throw new FileSystemError('ENOTEMPTY', 'rename', to, 'directory not empty');
    }
    this.#change([
      { ...this.#entry(from, 'rename'), node: null },
      { ...this.#entry(to, 'rename'), node },
    ]);
  }

  sync(directory: MemoryDirectory): void {
    const last = this.#journal.findLastIndex((changes) =>
      changes.some((change) => change.directory === directory),
    );
    this.#commit(last + 1);
  }

  syncAll(): void {
    this.#commit(this.#journal.length);
  }

  /** Without chance all is lost that no sync has saved. */
  losePower(random: SeededRandom | null): void {
    this.#commit(random?.below(this.#journal.length + 1) ?? 0);
    this.#journal = [];
    this.#forget(this.#root, random);
  }

  #forget(directory: MemoryDirectory, random: SeededRandom | null): void {
    directory.cached.clear();
    for (const [name, node] of directory.durable) {
      directory.cached.set(name, node);
      if (node instanceof MemoryDirectory) this.#forget(node, random);
      else node.losePower(random);
    }
  }

  #change(changes: readonly EntryChange[]): void {
    this.#journal.push(changes);
    for (const { directory, name, node } of changes) apply(directory.cached, name, node);
  }

  #commit(count: number): void {
    for (const changes of this.#journal.splice(0, count)) {
      for (const { directory, name, node } of changes) apply(directory.durable, name, node);
    }
  }

  #entry(path: string, operation: string): { directory: MemoryDirectory; name: string } {
    const names = namesOf(path);
    const name = names.pop();
    if (name === undefined) throw new FileSystemError('EINVAL', operation, path, 'the root has no name');
    return { directory: this.directory(`/${names.join('/')}`, operation), name };
  }
}

export function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}

function apply(entries: Map<string, MemoryNode>, name: string, node: MemoryNode | null): void {
  if (node === null) entries.delete(name);
  else entries.set(name, node);
}
