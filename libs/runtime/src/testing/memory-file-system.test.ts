import { describe, expect, it } from 'vitest';
import { MemoryFileSystem } from './memory-file-system.ts';
import { SeededRandom } from './seeded-random.ts';

const SEEDS = 200;

function text(files: MemoryFileSystem, path: string): string | null {
  return files.stat(path) === null ? null : new TextDecoder().decode(files.readFile(path));
}

function bytes(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

/** What becomes of the same story under many seeds. */
function outcomes(story: (files: MemoryFileSystem) => unknown): Set<unknown> {
  const found = new Set<unknown>();
  for (let seed = 0; seed < SEEDS; seed += 1) {
    found.add(story(new MemoryFileSystem({ random: new SeededRandom(seed) })));
  }
  return found;
}

describe('a disk in memory', () => {
  it('keeps what was synced through a power cut, name and contents', () => {
    const kept = outcomes((files) => {
      files.makeDirectory('/d');
      const file = files.open('/d/f', 'create');
      file.writeNow([bytes('safe')], 0);
      file.syncNow();
      files.syncDirectory('/d');
      files.syncDirectory('/');
      file.writeNow([bytes('!')], 4);
      files.crash({ kind: 'power' });
      return text(files, '/d/f')?.slice(0, 4);
    });
    expect([...kept]).toEqual(['safe']);
  });

  it('loses, keeps and tears what was not synced', () => {
    const found = outcomes((files) => {
      const file = files.open('/f', 'create');
      file.syncNow();
      files.syncDirectory('/');
      file.writeNow([new Uint8Array(2000).fill(1)], 0);
      files.crash({ kind: 'power' });
      return files.readFile('/f').filter((byte) => byte === 1).length;
    });
    expect(found).toContain(0);
    expect(found).toContain(2000);
    expect(found.size).toBeGreaterThan(10);
  });

  it('loses exactly what was not synced when no chance is wanted', () => {
    const left = outcomes((files) => {
      const file = files.open('/f', 'create');
      file.writeNow([bytes('synced')], 0);
      file.syncNow();
      files.syncDirectory('/');
      file.writeNow([bytes(', not synced')], 6);
      files.open('/g', 'create');
      files.crash({ kind: 'power', unsynced: 'lost' });
      return [text(files, '/f'), text(files, '/g')].join();
    });
    expect([...left]).toEqual(['synced,']);
  });

  it('keeps what was read before apart from what is appended, overwritten and cut later', () => {
    const files = new MemoryFileSystem();
    const file = files.open('/f', 'create');
    file.writeNow([bytes('abc')], 0);
    file.syncNow();
    files.syncDirectory('/');
    file.writeNow([bytes('def')], 3);
    file.truncate(2);
    file.writeNow([bytes('XY')], 2);
    file.writeNow([bytes('Z')], 0);
    expect(text(files, '/f')).toBe('ZbXY');
    files.crash({ kind: 'power', unsynced: 'lost' });
    expect(text(files, '/f')).toBe('abc');
    files.open('/f', 'write').writeNow([bytes('d')], 3);
    expect(text(files, '/f')).toBe('abcd');
  });

  it('lets a later write outlive an earlier one', () => {
    const found = outcomes((files) => {
      const file = files.open('/f', 'create');
      files.syncDirectory('/');
      file.writeNow([bytes('a')], 0);
      file.writeNow([bytes('b')], 1);
      files.crash({ kind: 'power' });
      return text(files, '/f');
    });
    expect(found).toContain('\0b');
    expect(found).toContain('ab');
    expect(found).toContain('a');
  });

  it('loses a name whose directory was not synced, and keeps the order of names', () => {
    const found = outcomes((files) => {
      files.open('/first', 'create');
      files.open('/second', 'create');
      files.crash({ kind: 'power' });
      return files
        .readDirectory('/')
        .map((entry) => entry.name)
        .join();
    });
    expect(found).toEqual(new Set(['', 'first', 'first,second']));
  });

  it('replaces a file wholly or not at all, wherever the power goes', () => {
    const found = new Set<string | null>();
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const files = new MemoryFileSystem({ random: new SeededRandom(seed) });
      files.replaceFile('/c', bytes('old'));
      files.powerOffAfter(seed % 6);
      expect(() => {
        files.replaceFile('/c', bytes('young'));
        throw new Error('(EPOWEROFF) did not come: six changes are more than a replacement takes');
      }).toThrow(/EPOWEROFF/);
      files.crash({ kind: 'power' });
      found.add(text(files, '/c'));
    }
    expect(found).toEqual(new Set(['old', 'young']));
  });

  it('keeps everything that was written when only the process dies', () => {
    const kept = outcomes((files) => {
      files.open('/f', 'create').writeNow([bytes('unsynced')], 0);
      files.crash({ kind: 'process' });
      return text(files, '/f');
    });
    expect([...kept]).toEqual(['unsynced']);
  });

  it('F8: makes a second sync succeed after a failed one, with the bytes lost', () => {
    const files = new MemoryFileSystem();
    const file = files.open('/f', 'create');
    files.syncDirectory('/');
    file.writeNow([bytes('doubtful')], 0);
    files.fault = (operation) => (operation.name === 'sync' ? { code: 'EIO' } : undefined);
    expect(() => file.syncNow()).toThrow(/EIO/);
    files.fault = () => undefined;
    file.syncNow();
    expect(text(files, '/f')).toBe('doubtful');
    files.crash({ kind: 'power' });
    expect(text(files, '/f')).toBe('');
  });

  it('F7: writes short and says ENOSPC when it is full', () => {
    const files = new MemoryFileSystem({ capacityBytes: 10 });
    const file = files.open('/f', 'create');
    file.writeNow([bytes('12345678')], 0);
    let outcome: [string | undefined, number] | null = null;
    file.write([bytes('abcd')], 8, (error, written) => {
      outcome = [error?.code, written];
    });
    expect(outcome).toEqual(['ENOSPC', 2]);
    expect(file.size()).toBe(10);
  });

  it('holds completions until they are delivered, in any order', () => {
    const files = new MemoryFileSystem({ completions: 'held' });
    const [first, second] = [files.open('/a', 'create'), files.open('/b', 'create')];
    const done: string[] = [];
    first.write([bytes('x')], 0, () => done.push('a'));
    second.write([bytes('y')], 0, () => done.push('b'));
    expect([first.size(), files.heldCompletions.map((held) => held.path)]).toEqual([0, ['/a', '/b']]);
    files.deliver(1);
    files.deliver();
    expect(done).toEqual(['b', 'a']);
  });

  it('makes handles and locks from before a crash dead', () => {
    const files = new MemoryFileSystem();
    const file = files.open('/f', 'create');
    files.lock('/.lock');
    expect(() => files.lock('/.lock')).toThrow(/ELOCKED/);
    files.crash({ kind: 'process' });
    expect(() => file.size()).toThrow(/EPOWEROFF/);
    files.lock('/.lock').release();
  });
});
