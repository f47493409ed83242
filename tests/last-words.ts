/**
 * What processes said last, told where a test has failed: of a run on another machine its failures are all that is left, and
 * the logs go with their folder.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ManagedProcess } from '@seatlog/local-stack';
import { onTestFinished } from 'vitest';

const WARNINGS = 5;
const LAST_LINES = 5;
const LINE_CHARACTERS = 400;

/** Of log lines as brokers and applications write them; servers of others say it in their words. */
const IS_WARNING = /"level":"(?:warn|error|fatal)"|\b(?:ERROR|FATAL|PANIC)\b/;

interface Speaker extends Pick<ManagedProcess, 'name' | 'logFile'> {
  /** Undefined: nobody knows. */
  readonly running?: boolean;
}

/** For the running test, or by `beforeEach` for all of a file. It has to come after what ends the processes: ends go backwards. */
export function tellLastWords(processes: () => Iterable<Speaker>): void {
  onTestFinished(({ task }) => {
    const said = task.result?.state === 'fail' ? [...processes()].map(lastWordsOf) : [];
    if (said.length > 0) throw new Error(said.join('\n'));
  });
}

/** All that logged into a stack's data directory, whoever had started them. */
export function speakersIn(dataDirectory: string): readonly Speaker[] {
  const logs = join(dataDirectory, 'logs');
  const files = readdirSync(logs).filter((file) => file.endsWith('.log'));
  return files.map((file) => ({ name: basename(file, '.log'), logFile: join(logs, file) }));
}

/** Its latest warnings, and its latest lines. */
export function lastWordsOf({ name, running, logFile }: Speaker): string {
  const lines = linesOf(logFile);
  const before = lines.slice(0, -LAST_LINES);
  const warnings = before.filter((line) => IS_WARNING.test(line)).slice(-WARNINGS);
  const told = [...warnings, ...lines.slice(-LAST_LINES)].map(
    (line) => `  ${line.slice(0, LINE_CHARACTERS)}`,
  );
  const state = { true: ' runs', false: ' has ended', undefined: '' }[`${running}`];
  return [`${name}${state}. It said last:`, ...told].join('\n');
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n');
  } catch {
    return ['(nothing that could be read)'];
  }
}
