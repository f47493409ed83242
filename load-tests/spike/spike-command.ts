/** `npm run load -- spike`: options in, progress and tables out; the last line is JSON, the exit code the audit's. */
import { randomInt } from 'node:crypto';
import { relative } from 'node:path';
import { layoutDirectory } from '@seatlog/local-stack';
import { buildApps } from '../demo/build-apps.ts';
import { CommandError } from '../demo/command-error.ts';
import { externalServices } from '../demo/external-services.ts';
import { Leaving } from '../demo/leaving.ts';
import { progressLine } from '../demo/progress.ts';
import { writeResults } from './results-file.ts';
import { runSpike } from './run-spike.ts';
import { readSpikeOptions, SPIKE_HELP } from './spike-options.ts';
import { spikeReport } from './spike-report.ts';
import type { SpikeRecord } from './spike-result.ts';

const LARGEST_SEED = 2 ** 31;

export async function spikeCommand(args: readonly string[], say: (line: string) => void): Promise<number> {
  const options = readSpikeOptions(args, () => randomInt(LARGEST_SEED));
  if (options === null) {
    say(SPIKE_HELP);
    return 0;
  }
  const { build, dataDirectory = layoutDirectory('spike'), resultsDirectory, ...settings } = options;
  const leaving = new Leaving(say);
  const record = await unlessLeaving(leaving, async () => {
    if (build) await buildApps(say, leaving.signal);
    return runSpike({
      settings,
      dataDirectory,
      external: externalServices(),
      signal: leaving.signal,
      say,
      output: process.stdout,
      onProgress: (progress) => {
        const line = progressLine(progress);
        if (line !== null) say(line);
      },
    });
  });
  const file = writeResults(record, resultsDirectory);
  say(`\n${spikeReport(record)}\n  kept in ${relative(process.cwd(), file)}\n`);
  say(JSON.stringify({ ...summaryOf(record), file }));
  return record.ok ? 0 : 1;
}

/** An end that was asked for is no failure with a stack trace; but there is no result either. */
async function unlessLeaving<T>(leaving: Leaving, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    throw new CommandError('Stopped before there was a result.');
  }
}

/** What fits into a line: the series and the histograms stand in the file. */
function summaryOf(record: SpikeRecord): Omit<SpikeRecord, 'timeline' | 'histograms'> {
  const { timeline: _series, histograms: _encoded, ...summary } = record;
  return summary;
}
