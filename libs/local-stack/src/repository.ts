/** Where things lie in the checkout that this library is part of. Nothing here touches the disk. */
import { join, resolve } from 'node:path';

export const repositoryRoot = resolve(import.meta.dirname, '../../..');

/** Git-ignored folder of everything that a running layout writes. Layouts never share a folder. */
export function layoutDirectory(layout: string): string {
  return join(repositoryRoot, '.data', layout);
}

/** Git-ignored folder of things that are fetched once and may be deleted at any time. */
export function cacheDirectory(name: string): string {
  return join(repositoryRoot, '.cache', name);
}
