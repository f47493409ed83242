import * as fs from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type FileLock, FileSystemError } from './file-system.ts';
import { asFileSystemError } from './node-errors.ts';

/**
 * An exclusive lock that the kernel holds for this process and drops when it dies, by SIGKILL too.
 *
 * Node itself offers no file locks, but the SQLite it carries takes POSIX record locks: an exclusive transaction
 * on an empty database locks bytes of the file and writes nothing to it. A JVM that locks the whole of the same
 * file with `FileChannel.tryLock` excludes us and is excluded by us.
 */
export function lockFile(path: string): FileLock {
  try {
    return beginExclusive(path);
  } catch (cause) {
    const result = sqliteResult(cause);
    if (result === SQLITE_BUSY) throw heldElsewhere(path);
    if (result !== SQLITE_NOT_A_DATABASE) throw asFileSystemError('lock', path, cause);
    // Whatever wrote into the file was no holder of such a lock: emptied (the inode stays), it serves again.
    fs.truncateSync(path, 0);
    return beginExclusive(path);
  }
}

const SQLITE_BUSY = 5;
const SQLITE_NOT_A_DATABASE = 26;

/** Keeps the locks of callers that let go of what they were given: a collected connection would drop its lock. */
const held = new Set<DatabaseSync>();

function beginExclusive(path: string): FileLock {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // The journal in memory: none is ever needed, and no second file comes into being.
    database.exec('PRAGMA journal_mode=MEMORY; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw cause;
  }
  held.add(database);
  return {
    release() {
      if (held.delete(database)) database.close();
    },
  };
}

function sqliteResult(cause: unknown): number | null {
  return cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number'
    ? cause.errcode
    : null;
}

function heldElsewhere(path: string): FileSystemError {
  const holder = holderOf(path);
  const who =
    holder === null ? 'another process' : holder === process.pid ? 'this process' : `process ${holder}`;
  return new FileSystemError('ELOCKED', 'lock', path, `held by ${who}`);
}

/** The process that the kernel lists as the holder of a lock on this file; null where it does not tell. */
function holderOf(path: string): number | null {
  try {
    const inode = fs.statSync(path).ino;
    for (const line of fs.readFileSync('/proc/locks', 'latin1').split('\n')) {
      const [, , , access, pid, file] = line.split(/\s+/);
      if (access === 'WRITE' && file?.split(':')[2] === String(inode)) return Number(pid);
    }
  } catch {
    // Only a courtesy of the message; not every system has this table.
  }
  return null;
}
