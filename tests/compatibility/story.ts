/**
 * The story that every client tells: create a topic, write to it, read all of it in a group, commit, and find the
 * committed offsets again. A client is a script of its own, run in a process of its own; what it prints last is the
 * outcome as one line of JSON.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface StoryArguments {
  readonly brokers: string;
  readonly topic: string;
  readonly group: string;
  readonly partitions: number;
  readonly records: number;
  /** A codec that the client has; none if absent. */
  readonly compression?: 'gzip' | 'snappy' | 'lz4' | 'zstd';
  readonly idempotent?: boolean;
  /** Read only what is there: another client has written it. */
  readonly onlyConsume?: boolean;
}

export interface StoryOutcome {
  /** `partition:offset:key=value` of each record that was consumed, sorted. */
  readonly consumed: readonly string[];
  /** Committed offsets, by partition. */
  readonly committed: Readonly<Record<string, number>>;
  /** End offsets as the client's admin tells them, by partition. */
  readonly ends: Readonly<Record<string, number>>;
}

const DEADLINE_MS = 120_000;

export const keyOf = (index: number): string => `seat-${index % 7}`;
export const valueOf = (index: number): string => `event-${index}`;

export async function tellStory(script: string, story: StoryArguments): Promise<StoryOutcome> {
  const path = new URL(`./clients/${script}`, import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [path, JSON.stringify(story)], {
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 16 * 1024 * 1024,
  });
  const lines = stdout.trim().split('\n');
  return JSON.parse(lines.at(-1) ?? '') as StoryOutcome;
}

/** In a client's process: the story it is to tell. */
export function storyFromArguments(): StoryArguments {
  return JSON.parse(process.argv[2] ?? '') as StoryArguments;
}

export function tellOutcome(outcome: StoryOutcome): void {
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
