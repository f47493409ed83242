/**
 * What the faults of this folder are brought about with. A machine without a tool skips its tests: each says so on stderr,
 * by name, and stands among the skipped of the closing line.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Tool {
  readonly name: string;
  readonly here: () => boolean;
}

const works = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** It may be installed and not allowed to trace. */
export const tracing: Tool = {
  name: 'strace, and the right to trace',
  here: () => works('strace', '-f', '-o', '/dev/null', '-e', 'inject=fdatasync:error=EIO', 'true'),
};

export const mountedMemory: Tool = {
  name: 'the right to mount a tmpfs',
  here: () => {
    const folder = mkdtempSync(join(tmpdir(), 'seatlog-mount-'));
    const mounted = works('mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder);
    if (mounted) works('umount', folder);
    rmdirSync(folder);
    return mounted;
  },
};

export const mountedImages: Tool = {
  name: 'mkfs.ext4, and the right to mount an image',
  here: () => mountedMemory.here() && works('mkfs.ext4', '-V') && works('losetup', '--find'),
};

export const fakedTime: Tool = { name: 'faketime', here: () => works('faketime', '--version') };

/** For `it.skipIf`. */
export function missing(tool: Tool, test: string): boolean {
  if (tool.here()) return false;
  process.stderr.write(`SKIPPED ${test}: this machine lacks ${tool.name}\n`);
  return true;
}
