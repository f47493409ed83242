/**
 * Files that name the processes of a folder: `<dataDirectory>/processes/<name>.json`. They exist so that whoever
 * starts on the folder next can end what a killed owner left behind, and nothing else.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.ts';
import { endProcess } from './end-process.ts';

interface ProcessRecord extends ProcessIdentity {
  readonly stopSignal: NodeJS.Signals;
}

const folderOf = (dataDirectory: string): string => join(dataDirectory, 'processes');
const fileOf = (dataDirectory: string, name: string): string => join(folderOf(dataDirectory), `${name}.json`);

export function recordProcess(
  dataDirectory: string,
  name: string,
  pid: number,
  stopSignal: NodeJS.Signals,
): void {
  const identity = identityOf(pid);
  if (identity === undefined) return;
  mkdirSync(folderOf(dataDirectory), { recursive: true });
  const file = fileOf(dataDirectory, name);
  const record: ProcessRecord = { ...identity, stopSignal };
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(record));
  renameSync(`${file}.${process.pid}`, file);
}

/** Removes the entry if it is about this pid: a restarted process may have written its own meanwhile. */
export function forgetProcess(dataDirectory: string, name: string, pid: number): void {
  const file = fileOf(dataDirectory, name);
  if (readRecord(file)?.pid === pid) rmSync(file, { force: true });
}

function readRecord(file: string): ProcessRecord | undefined {
  try {
    const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is ProcessRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, startTime, stopSignal } = value as Partial<Record<keyof ProcessRecord, unknown>>;
  return Number.isInteger(pid) && typeof startTime === 'string' && typeof stopSignal === 'string';
}

/** Ends the processes that a dead owner left in this folder, or just the one of that name. Gives the names ended. */
export async function endLeftovers(dataDirectory: string, only?: string): Promise<readonly string[]> {
  let files: readonly string[];
  try {
    files = readdirSync(folderOf(dataDirectory));
  } catch {
    return [];
  }
  const ended = await Promise.all(
    files
      .filter((file) => only === undefined || file === `${only}.json`)
      .map(async (file) => {
        const path = join(folderOf(dataDirectory), file);
        const record = readRecord(path);
        const alive = record !== undefined && isAlive(record);
        if (alive) await endProcess(record, record.stopSignal);
        rmSync(path, { force: true });
        return alive ? [file.replace(/\.json$/, '')] : [];
      }),
  );
  return ended.flat();
}
