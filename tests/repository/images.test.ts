// infra/docker/Dockerfile and .dockerignore against the tree and against what docker-compose.yml starts from the images.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { default as dockerignore } from '@balena/dockerignore';
import { describe, expect, it } from 'vitest';
import { mountOf, ownServicesOf, readCompose, readText, repository, type Service } from './compose-file.ts';
import { Dockerfile, type Stage } from './dockerfile.ts';

const FILE = 'infra/docker/Dockerfile';
const dockerfile = new Dockerfile(readText(FILE));
const ownServices = ownServicesOf(readCompose('docker-compose.yml'));

interface Manifest {
  readonly name: string;
  readonly workspaces?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readText(path.join(folder, 'package.json'))) as Manifest;

/** Folders of all workspaces, as the root names them. */
const workspaces: readonly string[] = (manifestOf('.').workspaces ?? []).flatMap((pattern) => {
  if (!pattern.endsWith('/*')) return [pattern];
  const parent = pattern.slice(0, -2);
  return readdirSync(path.join(repository, parent), { withFileTypes: true })
    .filter((entry) => existsSync(path.join(repository, parent, entry.name, 'package.json')))
    .map((entry) => `${parent}/${entry.name}`);
});
const folderOf = new Map(workspaces.map((folder) => [manifestOf(folder).name, folder]));

/** The workspaces that a workspace needs when it runs, itself among them. */
function neededBy(folder: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(folder)) return found;
  found.add(folder);
  for (const dependency of Object.keys(manifestOf(folder).dependencies ?? {})) {
    const needed = folderOf.get(dependency);
    if (needed !== undefined) neededBy(needed, found);
  }
  return found;
}

const context = dockerignore.default().add(readText('.dockerignore'));
const isSent = (file: string): boolean => !context.ignores(file);

/** The stages that make the image of a service. */
const imageOf = (service: Service): readonly Stage[] => dockerfile.lineOf(service.build?.target ?? '');

const defaultCommand = (service: Service): readonly string[] => {
  const commands = readText(FILE).split(`AS ${service.build?.target}\n`)[1]?.split('\nFROM')[0] ?? '';
  return JSON.parse(/^CMD (\[.*\])$/m.exec(commands)?.[1] ?? '[]') as string[];
};

const programOf = (service: Service): string =>
  (service.command ?? defaultCommand(service)).find((word) => word.startsWith('apps/')) ?? '';

describe('the images', () => {
  it.each(ownServices)('of %s are a stage of the Dockerfile, and do not run as root', (_, service) => {
    expect(service.build).toMatchObject({ context: '.', dockerfile: FILE });
    const users = imageOf(service).map(({ user }) => user);
    expect(users.find((user) => user !== null)).toBe('node');
  });

  it.each(ownServices)('of %s hold its program and the script that asks for its health', (_, service) => {
    const copies = imageOf(service).flatMap((stage) => stage.copies);
    const program = programOf(service);
    expect(program).toMatch(/^apps\/[\w-]+\/(src\/main\.ts|dist\/main\.js)$/);
    const places = copies.map((copy) => copy.target);
    expect(places.some((place) => program.startsWith(`${place}/`))).toBe(true);
    expect(copies.some(({ sources }) => sources.includes('infra/docker/health-check.mjs'))).toBe(true);
  });

  it.each(ownServices)(
    'of %s have its packages, and the sources of the libraries that it runs',
    (_, service) => {
      const app = programOf(service).split('/').slice(0, 2).join('/');
      const copies = imageOf(service).flatMap((stage) => stage.copies);
      const packages = copies
        .flatMap(({ from }) => dockerfile.lineOf(from ?? ''))
        .flatMap(({ commands }) => commands);
      expect(packages.join(' ')).toMatch(
        new RegExp(`npm ci --omit=dev .*--workspace=${manifestOf(app).name}( |$)`),
      );
      const needed = [...neededBy(app)].filter((folder) => folder.startsWith('libs/'));
      expect(needed.length).toBeGreaterThan(1);
      const sent = copies.filter(({ from }) => from === null).flatMap(({ sources }) => sources);
      expect(needed.filter((folder) => !sent.includes('libs') && !sent.includes(folder))).toEqual([]);
      expect(needed.filter((folder) => !isSent(`${folder}/src/index.ts`))).toEqual([]);
      // What the manifests lose before packages are installed is not needed.
      const removed = /\brm -r ([^&]*)/.exec(packages.join(' '))?.[1]?.trim().split(' ') ?? [];
      expect(removed.length).toBeGreaterThan(0);
      expect(removed.filter((folder) => neededBy(app).has(folder))).toEqual([]);
    },
  );

  it.each(ownServices)('of %s have a folder of its user under each volume', (_, service) => {
    const commands = imageOf(service).flatMap((stage) => stage.commands);
    const made = commands
      .filter((command) => command.startsWith('install --directory --owner=node'))
      .join(' ');
    const folders = (service.volumes ?? []).map((text) => mountOf(text).folder);
    expect(folders.filter((folder) => !made.split(' ').includes(folder))).toEqual([]);
  });

  it('compile every application that has to be compiled', () => {
    const compiled = workspaces.filter((folder) => manifestOf(folder).scripts?.['build'] !== undefined);
    const copies = [...dockerfile.stages.values()].flatMap((stage) => stage.copies);
    const taken = copies.flatMap(({ from, sources }) => (from === 'build' ? sources : []));
    expect(compiled.length).toBeGreaterThan(0);
    expect(taken.toSorted()).toEqual(compiled.map((folder) => `/app/${folder}/dist`).toSorted());
  });

  it('come from one image of a named release, for one platform of packages', () => {
    const images = new Set(dockerfile.images);
    expect([...images]).toEqual(['node:24-bookworm-slim']);
  });
});

describe('the context of the build', () => {
  it('has all that the Dockerfile copies from it', () => {
    const copied = [...dockerfile.stages.values()]
      .flatMap((stage) => stage.copies)
      .flatMap(({ from, sources }) => (from === null ? sources : []))
      .filter((source) => source !== '.');
    expect(copied.length).toBeGreaterThan(3);
    expect(copied.filter((source) => !existsSync(path.join(repository, source)) || !isSent(source))).toEqual(
      [],
    );
  });

  it('has the manifest of every workspace: npm installs nothing if one is missing', () => {
    const manifests = [
      'package.json',
      'package-lock.json',
      '.npmrc',
      ...workspaces.map((one) => `${one}/package.json`),
    ];
    expect(manifests.filter((file) => !isSent(file))).toEqual([]);
  });

  it('has what the applications are compiled with', () => {
    const needed = [
      'nx.json',
      'tsconfig.base.json',
      'apps/booking-api/tsconfig.json',
      'libs/seat-lock/src/lua/acquire.lua',
    ];
    expect(needed.filter((file) => !existsSync(path.join(repository, file)) || !isSent(file))).toEqual([]);
  });

  it('has no secrets, data, history, installed packages, results or tests', () => {
    const unwanted = [
      '.env',
      'apps/booking-api/.env.local',
      '.git/config',
      '.data/one-node/token-secret',
      'node_modules/pg/package.json',
      'apps/booking-api/node_modules/x/package.json',
      'apps/booking-api/dist/main.js',
      'apps/broker/src/router.test.ts',
      'tests/repository/style.test.ts',
      'load-tests/demo.ts',
      'libs/local-stack/src/index.ts',
      'libs/lab/src/index.ts',
      'libs/simulation/src/index.ts',
      'apps/cli/src/main.ts',
    ];
    expect(unwanted.filter((file) => isSent(file))).toEqual([]);
  });
});
