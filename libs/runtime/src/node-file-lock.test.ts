import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFileSystem as files } from './node-file-system.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'seatlog-lock-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

describe('a lock between processes', () => {
  it('F11: is refused while another process holds it, and free as soon as that process is killed', async () => {
    const lockPath = join(directory, '.lock');
    const script = `import { nodeFileSystem } from ${JSON.stringify(new URL('./node-file-system.ts', import.meta.url).href)};
      nodeFileSystem.lock(${JSON.stringify(lockPath)});
      process.stdout.write('held');
      setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(holder, 'exit');
    try {
      await once(holder.stdout, 'data');
      expect(() => files.lock(lockPath)).toThrow(/held by .*\(ELOCKED\)/);
    } finally {
      holder.kill('SIGKILL');
    }
    await exited;
    const lock = files.lock(lockPath);
    lock.release();
  });
});
