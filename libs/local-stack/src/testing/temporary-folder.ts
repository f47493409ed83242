/** Folders that tests may fill. All may enter them: PostgreSQL does not run as root. */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { wipeDataDirectory } from '../wipe-data-directory.ts';

export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'seatlog-test-'));
  chmodSync(path, 0o755);
  return { path, remove: () => wipeDataDirectory(path) };
}

/** One that goes away with the running test, after what was started in it has been stopped. */
export function folderOfTest(): TemporaryFolder {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  return folder;
}
