/**
 * The folder of a stack: one owner at a time, one layout for its life. The lock lies beside the folder, so that wiping
 * the folder does not open it to others.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FolderLock, isLock, tryLock } from '../folder-lock.ts';
import { LocalStackError } from '../local-stack-error.ts';
import { endLeftoverServer } from '../postgres/postgres-cluster.ts';
import { reachablePath, userForPostgres } from '../postgres/unprivileged-user.ts';
import { endLeftovers } from '../process-file.ts';
import { wipeDataDirectory } from '../wipe-data-directory.ts';
import type { Layout } from './layout.ts';

const SECRET_BYTES = 32;

export class StackFolder {
  readonly #dataDirectory: string;
  readonly #lock: FolderLock;

  private constructor(dataDirectory: string, lock: FolderLock) {
    this.#dataDirectory = dataDirectory;
    this.#lock = lock;
  }

  /** Refuses while another stack lives on the folder. */
  static claim(dataDirectory: string): StackFolder {
    const lock = tryLock(`${dataDirectory}.lock`);
    if (isLock(lock)) return new StackFolder(dataDirectory, lock);
    throw new LocalStackError(
      'FOLDER_IN_USE',
      `Another stack (process ${lock.holder}) runs on ${dataDirectory}`,
      {
        hint: `Stop it (Ctrl-C where it runs, or kill ${lock.holder}), or use another data directory.`,
      },
    );
  }

  release(): void {
    this.#lock.release();
  }

  /** Ends what a killed owner left running, then wipes the folder or checks that it is of this layout. */
  async prepare(layout: Layout, fresh: boolean): Promise<void> {
    await endLeftovers(this.#dataDirectory);
    await endLeftoverServer(reachablePath(userForPostgres(), join(this.#dataDirectory, 'postgres')));
    if (fresh) wipeDataDirectory(this.#dataDirectory);
    mkdirSync(this.#dataDirectory, { recursive: true });
    const file = join(this.#dataDirectory, 'layout.json');
    const found = readIfThere(file);
    if (found === undefined) {
      writeFileSync(file, `${JSON.stringify({ brokers: layout.brokers })}\n`);
      return;
    }
    const { brokers } = JSON.parse(found) as { readonly brokers: number };
    if (brokers === layout.brokers) return;
    throw new LocalStackError(
      'LAYOUT_MISMATCH',
      `${this.#dataDirectory} holds the data of ${brokers} broker(s), not of ${layout.brokers}`,
      { hint: 'Use another data directory, or start fresh (which deletes the data).' },
    );
  }

  /** Kept with the data: tokens that buyers hold stay valid when the stack starts again. */
  tokenSecret(): string {
    const file = join(this.#dataDirectory, 'token-secret');
    const found = readIfThere(file);
    if (found !== undefined) return found;
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    writeFileSync(file, secret, { mode: 0o600 });
    return secret;
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
