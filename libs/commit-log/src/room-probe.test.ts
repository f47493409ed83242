import { MemoryFileSystem } from '@seatlog/runtime/testing';
import { describe, expect, it } from 'vitest';
import type { LogError } from './log-error.ts';
import { probeRoom } from './room-probe.ts';

function probed(files: MemoryFileSystem): LogError | null {
  let outcome: LogError | null | undefined;
  probeRoom(files, '/logs/seats-0', (error) => (outcome = error));
  if (outcome === undefined) throw new Error('it came to no end');
  return outcome;
}

describe('a look at a disk', () => {
  it('F7: finds room, or none, and leaves nothing behind', () => {
    const files = new MemoryFileSystem({ capacityBytes: 1024 * 1024 });
    files.makeDirectory('/logs/seats-0');
    expect(probed(files)).toBeNull();
    files.capacityBytes = 1000;
    expect(probed(files)?.code).toBe('LOG_OUT_OF_SPACE');
    expect(files.readDirectory('/logs/seats-0')).toEqual([]);
  });

  it('F8: tells of a disk that fails otherwise, and of a partition that is gone', () => {
    const files = new MemoryFileSystem();
    expect(probed(files)?.code).toBe('LOG_IO_FAILED');
    files.makeDirectory('/logs/seats-0');
    files.fault = ({ name }) => (name === 'write' ? { code: 'EIO' } : undefined);
    expect(probed(files)?.code).toBe('LOG_IO_FAILED');
  });
});
