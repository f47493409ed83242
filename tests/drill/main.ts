/**
 * `npm run drill -- [options]`: faults on a real cluster under load, and a judgement on the recorded history. The last line
 * is JSON. Exit code 0: nothing was found; 1: something was; 2: it could not be made.
 */
import { randomInt } from 'node:crypto';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { formatEntry, type HistoryRecorder } from '@seatlog/history';
import { failureText } from '@seatlog/local-stack';
import { DRILL_HELP, DrillUsageError, readDrillOptions } from './drill-settings.ts';
import { runDrill } from './run-drill.ts';

const LARGEST_SEED = 2 ** 31;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = readDrillOptions(process.argv.slice(2), () => randomInt(LARGEST_SEED));
  if (options === null) {
    say(DRILL_HELP);
    return 0;
  }
  const { data, ...settings } = options;
  const folder = data === undefined ? mkdtempSync(join(tmpdir(), 'seatlog-drill-')) : resolve(data);
  mkdirSync(folder, { recursive: true });
  say(`seed ${settings.seed}; faults ${settings.faults.join(', ')}; data and logs in ${folder}`);
  const { report, recorder } = await runDrill(settings, folder, { say });
  const isKept = data !== undefined || !report.ok;
  if (isKept) await keepHistory(recorder, join(folder, 'history.jsonl'));
  else rmSync(folder, { recursive: true, force: true });
  for (const complaint of report.complaints) say(`  ✗ ${complaint}`);
  for (const { kind, message } of report.anomalies) say(`  ✗ ${kind}: ${message}`);
  say(JSON.stringify({ ...report, ...(isKept ? { folder } : {}) }));
  return report.ok ? 0 : 1;
}

async function keepHistory(recorder: HistoryRecorder, file: string): Promise<void> {
  const stream = createWriteStream(file);
  for (const entry of recorder.entries()) {
    if (!stream.write(`${formatEntry(entry)}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
}

// The exit guard of the nodes' processes stops them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(2));

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`\n${failureText(error, DrillUsageError)}\n`);
  process.exitCode = 2;
}
// Sockets of nodes that are gone may linger; nothing is waited for any more.
process.exit();
