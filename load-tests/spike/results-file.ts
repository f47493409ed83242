/** Where results are kept: a file for each run, git-ignored, written whole or not at all. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@seatlog/local-stack';
import type { SpikeRecord } from './spike-result.ts';

const defaultDirectory = join(repositoryRoot, 'load-tests', 'results');

/** Gives the file. */
export function writeResults(record: SpikeRecord, directory = defaultDirectory): string {
  mkdirSync(directory, { recursive: true });
  const moment = record.startedAt.replaceAll(/[:.]/g, '-');
  const file = join(directory, `${moment}-${record.runId}.json`);
  writeFileSync(`${file}.written`, `${JSON.stringify(record, null, 1)}\n`);
  renameSync(`${file}.written`, file);
  return file;
}
