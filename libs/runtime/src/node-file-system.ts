import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Completion, DirectoryEntry, EntryKind, FileSystem, OpenMode } from './file-system.ts';
import { asFileSystemError, hasCode } from './node-errors.ts';
import { NodeFileHandle } from './node-file-handle.ts';
import { lockFile } from './node-file-lock.ts';

const OPEN_FLAGS: Readonly<Record<OpenMode, number>> = {
  read: fs.constants.O_RDONLY,
  write: fs.constants.O_RDWR,
  create: fs.constants.O_RDWR | fs.constants.O_CREAT,
};

/** The files of this machine. */
export const nodeFileSystem: FileSystem = {
  open: (file, mode) =>
    attempt('open', file, () => new NodeFileHandle(file, fs.openSync(file, OPEN_FLAGS[mode], 0o644))),
  readFile: (file) => attempt('read', file, () => fs.readFileSync(file)),
  replaceFile(file, bytes) {
    attempt('replace', file, () => {
      writeSynced(aside(file), bytes);
      fs.renameSync(aside(file), file);
      syncDirectoryNow(path.dirname(file));
    });
  },
  replaceFileInBackground(file, bytes, done) {
    const settle = completionOf('replace', file, done);
    fs.writeFile(aside(file), bytes, { flush: true }, (writeError) => {
      if (writeError !== null) return settle(writeError);
      return fs.rename(aside(file), file, (renameError) => {
        if (renameError !== null) settle(renameError);
        else syncDirectoryInPool(path.dirname(file), settle);
      });
    });
  },
  stat(file) {
    return attempt('stat', file, () => {
      const found = fs.statSync(file, { throwIfNoEntry: false });
      return found === undefined
        ? null
        : { kind: kindOf(found), size: found.size, modifiedAt: found.mtimeMs };
    });
  },
  readDirectory: (directory) => attempt('readdir', directory, () => entriesOf(directory)),
  makeDirectory(directory) {
    attempt('mkdir', directory, () => fs.mkdirSync(directory, { recursive: true }));
  },
  syncDirectory(directory) {
    attempt('fsync', directory, () => syncDirectoryNow(directory));
  },
  syncDirectoryInBackground(directory, done) {
    syncDirectoryInPool(directory, completionOf('fsync', directory, done));
  },
  rename(from, to) {
    attempt('rename', from, () => fs.renameSync(from, to));
  },
  unlink(file) {
    attempt('unlink', file, () => fs.rmSync(file, { force: true }));
  },
  unlinkInBackground(file, done) {
    fs.unlink(file, (cause) => completionOf('unlink', file, done)(hasCode(cause, 'ENOENT') ? null : cause));
  },
  removeDirectory(directory) {
    attempt('rmdir', directory, () => fs.rmdirSync(directory));
  },
  lock: (file) => attempt('lock', file, () => lockFile(file)),
};

type NodeCompletion = (cause: NodeJS.ErrnoException | null) => void;

function attempt<Result>(operation: string, file: string, action: () => Result): Result {
  try {
    return action();
  } catch (cause) {
    throw asFileSystemError(operation, file, cause);
  }
}

function completionOf(operation: string, file: string, done: Completion): NodeCompletion {
  return (cause) => done(cause === null ? null : asFileSystemError(operation, file, cause));
}

function aside(file: string): string {
  return `${file}.tmp`;
}

function writeSynced(file: string, bytes: Uint8Array): void {
  fs.writeFileSync(file, bytes, { flush: true });
}

function syncDirectoryNow(directory: string): void {
  const descriptor = fs.openSync(directory, fs.constants.O_RDONLY);
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function syncDirectoryInPool(directory: string, settle: NodeCompletion): void {
  fs.open(directory, fs.constants.O_RDONLY, (openError, descriptor) => {
    if (openError !== null) return settle(openError);
    return fs.fsync(descriptor, (syncError) =>
      fs.close(descriptor, (closeError) => settle(syncError ?? closeError)),
    );
  });
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): EntryKind {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'directory' : 'other';
}

function entriesOf(directory: string): DirectoryEntry[] {
  return fs
    .readdirSync(directory, { withFileTypes: true })
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
