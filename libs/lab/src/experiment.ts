/**
 * An experiment: steps on a cluster of its own, what was observed, and what that is to be. The verdict is a pure function of
 * the observations, so a wrong outcome can be shown to it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bench } from './bench.ts';
import type { Finding } from './finding.ts';
import type { Narrator } from './narrator.ts';

/** Times of the experiment in milliseconds, as it was asked for: `pace` 1 is that of the article. */
export interface Pace {
  ms(articleMs: number): number;
}

export interface Experiment<Observed> {
  readonly name: string;
  readonly title: string;
  readonly shows: string;
  properties(pace: Pace): Readonly<Record<string, string>>;
  run(bench: Bench, pace: Pace): Promise<Observed>;
  verdict(observed: Observed, pace: Pace): readonly Finding[];
}

export interface ReplayOptions {
  readonly narrator: Narrator;
  /** Less than 1 is quicker. Default 1. */
  readonly pace?: number;
  /** Kept afterwards. Default: a temporary folder that is removed. */
  readonly dataDirectory?: string;
  readonly signal?: AbortSignal;
}

export interface Replay<Observed> {
  readonly observed: Observed;
  readonly findings: readonly Finding[];
}

export const paceOf = (factor: number): Pace => ({ ms: (articleMs) => Math.round(articleMs * factor) });

export async function replay<Observed>(
  experiment: Experiment<Observed>,
  options: ReplayOptions,
): Promise<Replay<Observed>> {
  const pace = paceOf(options.pace ?? 1);
  const { narrator, signal } = options;
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'seatlog-lab-'));
  try {
    await using bench = await Bench.start({
      dataDirectory,
      properties: experiment.properties(pace),
      narrator,
      ...(signal === undefined ? {} : { signal }),
    });
    const observed = await experiment.run(bench, pace);
    return { observed, findings: experiment.verdict(observed, pace) };
  } finally {
    if (options.dataDirectory === undefined) rmSync(dataDirectory, { recursive: true, force: true });
  }
}
