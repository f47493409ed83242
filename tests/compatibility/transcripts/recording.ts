/** What Apache Kafka answered, step by step: a file for each scenario, a line for each step. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Transcript } from './session.ts';

const FOLDER = path.join(import.meta.dirname, 'recorded');

function fileOf(scenario: string): string {
  return path.join(FOLDER, `${scenario}.jsonl`);
}

export function writeRecording(scenario: string, transcript: Transcript): void {
  const lines = Object.entries(transcript).map((step) => `${JSON.stringify(step)}\n`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(scenario), lines.join(''));
}

/** Null where there is none. */
export function readRecording(scenario: string): Transcript | null {
  if (!existsSync(fileOf(scenario))) return null;
  const lines = readFileSync(fileOf(scenario), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return Object.fromEntries(lines.map((line): [string, Transcript[string]] => JSON.parse(line)));
}
