import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lastWordsOf, speakersIn } from '../last-words.ts';

it('the last words of a process are its latest lines, and warnings that lie further back', () => {
  const folder = mkdtempSync(join(tmpdir(), 'seatlog-words-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'logs'));
  const logFile = join(folder, 'logs', 'broker-1.log');
  const lines = Array.from(
    { length: 100 },
    (_, at) => `{"level":"${at === 7 ? 'warn' : 'info'}","msg":"line ${at}"}`,
  );
  writeFileSync(logFile, `${lines.join('\n')}\n`);
  const words = lastWordsOf({ name: 'broker-1', running: false, logFile });
  expect(words.match(/line \d+/g)).toEqual(['line 7', 'line 95', 'line 96', 'line 97', 'line 98', 'line 99']);
  expect(words).toContain('broker-1 has ended');
  const [speaker] = speakersIn(folder);
  if (speaker === undefined) throw new Error('nobody has spoken');
  expect(lastWordsOf(speaker)).toBe(words.replace(' has ended', ''));
  expect(lastWordsOf({ name: 'x', running: true, logFile: join(folder, 'none') })).toContain('nothing');
});
