import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileSystemError } from './file-system.ts';
import { nodeFileSystem as files } from './node-file-system.ts';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'seatlog-files-'));
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

function pathOf(name: string): string {
  return join(directory, name);
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof FileSystemError) return error.code;
    throw error;
  }
  throw new Error('no error was thrown');
}

function bytesOf(...pieces: readonly string[]): Uint8Array[] {
  return pieces.map((piece) => new TextEncoder().encode(piece));
}

describe('a file handle of the system', () => {
  it('writes chunks one behind the other at a position and reads them back', () => {
    const file = files.open(pathOf('small'), 'create');
    let written = -1;
    file.write(bytesOf('ab', '', 'cde'), 3, (error, count) => {
      expect(error).toBeNull();
      written = count;
    });
    expect(written, 'a small write is done at once').toBe(5);
    const buffer = new Uint8Array(10);
    expect(file.read(buffer, 0)).toBe(8);
    expect(new TextDecoder().decode(buffer.subarray(3, 8))).toBe('abcde');
    expect(file.read(buffer, 4, 2, 3)).toBe(3);
    expect(file.read(buffer, 100)).toBe(0);
    file.truncate(4);
    expect(file.size()).toBe(4);
    file.syncNow();
    file.close();
    expect(codeOf(() => file.size())).toBe('EBADF');
  });

  it('takes more chunks than one system call does, in the pool where they are large', async () => {
    const chunks = Array.from({ length: 3000 }, (_, index) => new Uint8Array(100).fill(index));
    const file = files.open(pathOf('large'), 'create');
    await new Promise<void>((resolve) => {
      file.write(chunks, 0, (error, count) => {
        expect(error).toBeNull();
        expect(count).toBe(300_000);
        resolve();
      });
    });
    const few = chunks.slice(0, 2000);
    file.writeNow(few, 300_000);
    await new Promise<void>((resolve) => {
      file.sync((error) => {
        expect(error).toBeNull();
        resolve();
      });
    });
    expect(readFileSync(pathOf('large'))).toEqual(Buffer.concat([...chunks, ...few]));
    file.close();
  });

  it.skipIf(files.stat('/dev/full') === null)(
    'tells a full device as ENOSPC, at once and in the pool',
    async () => {
      const file = files.open('/dev/full', 'write');
      expect(codeOf(() => file.writeNow(bytesOf('x'), 0))).toBe('ENOSPC');
      let code = '';
      file.write(bytesOf('x'), 0, (error) => {
        code = error?.code ?? 'none';
      });
      expect(code).toBe('ENOSPC');
      code = await new Promise((resolve) => {
        file.write([new Uint8Array(300_000)], 0, (error) => resolve(error?.code ?? 'none'));
      });
      expect(code).toBe('ENOSPC');
      file.close();
    },
  );
});

describe('the file system of the system', () => {
  it('opens what exists, and creates only when asked to', () => {
    expect(codeOf(() => files.open(pathOf('missing'), 'read'))).toBe('ENOENT');
    expect(codeOf(() => files.open(pathOf('missing'), 'write'))).toBe('ENOENT');
    expect(codeOf(() => files.readFile(pathOf('missing')))).toBe('ENOENT');
    expect(files.stat(pathOf('missing'))).toBeNull();
  });

  it('replaces a file as a whole, before returning or in the background', async () => {
    files.replaceFile(pathOf('checkpoint'), new TextEncoder().encode('first'));
    expect(readFileSync(pathOf('checkpoint'), 'utf8')).toBe('first');
    const error = await new Promise((resolve) => {
      files.replaceFileInBackground(pathOf('checkpoint'), new TextEncoder().encode('second'), resolve);
    });
    expect(error).toBeNull();
    expect(readFileSync(pathOf('checkpoint'), 'utf8')).toBe('second');
    expect(files.stat(pathOf('checkpoint.tmp'))).toBeNull();
    const failure = await new Promise<FileSystemError | null>((resolve) => {
      files.replaceFileInBackground(pathOf('nowhere/checkpoint'), new Uint8Array(1), resolve);
    });
    expect(failure?.code).toBe('ENOENT');
  });

  it('lists, renames and removes', async () => {
    files.makeDirectory(pathOf('tree/b'));
    files.makeDirectory(pathOf('tree/b'));
    writeFileSync(pathOf('tree/a'), 'x');
    expect(files.readDirectory(pathOf('tree'))).toEqual([
      { name: 'a', kind: 'file' },
      { name: 'b', kind: 'directory' },
    ]);
    expect(codeOf(() => files.removeDirectory(pathOf('tree')))).toBe('ENOTEMPTY');
    files.rename(pathOf('tree/a'), pathOf('tree/c'));
    expect(files.stat(pathOf('tree/c'))).toMatchObject({ kind: 'file', size: 1 });
    files.unlink(pathOf('tree/c'));
    files.unlink(pathOf('tree/c'));
    files.removeDirectory(pathOf('tree/b'));
    files.syncDirectory(pathOf('tree'));
    const outcomes = await Promise.all([
      new Promise((resolve) => files.unlinkInBackground(pathOf('tree/never'), resolve)),
      new Promise((resolve) => files.syncDirectoryInBackground(pathOf('tree'), resolve)),
    ]);
    expect(outcomes).toEqual([null, null]);
    files.removeDirectory(pathOf('tree'));
    expect(files.stat(pathOf('tree'))).toBeNull();
  });

  it('leaves no second file beside a lock, and empties a lock file that something else wrote into', () => {
    writeFileSync(pathOf('.lock'), '4711\n');
    const lock = files.lock(pathOf('.lock'));
    expect(statSync(pathOf('.lock')).size).toBe(0);
    expect(files.readDirectory(directory).filter((entry) => entry.name.startsWith('.lock'))).toHaveLength(1);
    expect(codeOf(() => files.lock(pathOf('.lock')))).toBe('ELOCKED');
    lock.release();
    lock.release();
    files.lock(pathOf('.lock')).release();
  });
});
