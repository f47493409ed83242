import { beforeAll, describe, expect, it } from 'vitest';
import { PlantedRepository } from './planted-repository.ts';

const fine = 'export const fine = 1;\n';

function cruised(files: Record<string, string>): string {
  using planted = new PlantedRepository();
  for (const [file, source] of Object.entries(files)) planted.plant(file, source);
  const { exitCode, output } = planted.cruise();
  return exitCode === 0 ? 'held' : output;
}

const importOf = (name: string) => `import { fine } from '${name}';\nexport const used = fine;\n`;

describe('the arrows of the architecture', () => {
  it('let a permitted import pass', () => {
    expect(
      cruised({
        'libs/kafka-protocol/src/index.ts': fine,
        'libs/commit-log/src/index.ts': importOf('@seatlog/kafka-protocol'),
      }),
    ).toBe('held');
  });

  it('let a pure core import the type of a port', () => {
    const outcome = cruised({
      'libs/runtime/src/index.ts': 'export interface Clock { now(): number }\n',
      'libs/group-coordinator/src/index.ts': `import type { Clock } from '@seatlog/runtime';\nexport type Time = Clock;\n`,
    });
    expect(outcome).toBe('held');
  });

  describe('of the broker’s embedded entry', () => {
    const entry = { 'apps/broker/src/embedded.ts': fine };
    const embedding = importOf('@seatlog/broker/embedded');

    it('let the test kit import it', () => {
      expect(cruised({ ...entry, 'libs/kafka-testkit/src/index.ts': embedding })).toBe('held');
    });
  });
});

/** Each in a file of its own, all in one repository: the tool is slow to start. */
describe('the arrows of the architecture catch it', () => {
  const violations: readonly [string, string, string, string][] = [
    [
      'the protocol imports the log',
      'libs/kafka-protocol',
      'libs/commit-log',
      'arrows-of-libs-kafka-protocol',
    ],
    [
      'a ticketing rule imports the broker’s log',
      'libs/booking',
      'libs/commit-log',
      'arrows-of-libs-booking',
    ],
    [
      'the client imports the group coordinator',
      'libs/kafka-client',
      'libs/group-coordinator',
      'arrows-of-libs-kafka-client',
    ],
    ['the worker imports the broker', 'apps/reservation-worker', 'apps/broker', 'nobody-imports-an-app'],
    ['booking imports the whole client', 'libs/booking', 'libs/kafka-client', 'booking-knows-topics-only'],
    [
      'a pure core imports an adapter',
      'libs/group-coordinator',
      'libs/runtime',
      'ports-are-types-in-pure-cores',
    ],
    ['the local stack embeds a broker', 'libs/local-stack', 'apps/broker/embedded', 'nobody-imports-an-app'],
    ['the client embeds a broker', 'libs/kafka-client', 'apps/broker/embedded', 'nobody-imports-an-app'],
    ['an application embeds a broker', 'apps/booking-api', 'apps/broker/embedded', 'nobody-imports-an-app'],
    [
      'the test kit imports more of the broker',
      'libs/kafka-testkit',
      'apps/broker',
      'only-the-test-kit-embeds-a-broker',
    ],
    [
      'the test kit imports another app',
      'libs/kafka-testkit',
      'apps/booking-api',
      'only-the-test-kit-embeds-a-broker',
    ],
  ];
  const offenderOf = (from: string, imported: string): string =>
    `${from}/src/offends-${imported.replaceAll('/', '-')}.ts`;
  let found = '';

  beforeAll(() => {
    const files: Record<string, string> = {
      'apps/broker/src/embedded.ts': fine,
      'libs/kafka-protocol/src/inner.ts': fine,
      'libs/commit-log/src/way-around.ts': importOf('../../kafka-protocol/src/inner.ts'),
      'libs/runtime/src/one.ts': `import { two } from './two.ts';\nexport const one = () => two;\n`,
      'libs/runtime/src/two.ts': `import { one } from './one.ts';\nexport const two = () => one;\n`,
    };
    for (const [, from, imported] of violations) {
      const [kind, project] = imported.split('/');
      files[`${kind}/${project}/src/index.ts`] = fine;
      files[offenderOf(from, imported)] = importOf(imported.replace(/^(libs|apps)/, '@seatlog'));
    }
    found = cruised(files);
  });

  it.each(violations)('when %s', (_story, from, imported, rule) => {
    expect(found).toContain(`${rule}: ${offenderOf(from, imported)}`);
  });

  it('when a path leads into another project', () => {
    expect(found).toContain('no-way-around-the-front-door: libs/commit-log/src/way-around.ts');
  });

  it('when imports go in a circle', () => {
    expect(found).toMatch(/no-circles: libs\/runtime\/src\/(one|two)\.ts/);
  });
});

describe('the purity of the pure libraries', () => {
  const violations: readonly [string, string, string][] = [
    [
      'the file system',
      `import fs from 'node:fs';\nexport const names = fs.readdirSync('.');\n`,
      'no-restricted-imports',
    ],
    [
      'the network',
      `import net from 'node:net';\nexport const socket = new net.Socket();\n`,
      'no-restricted-imports',
    ],
    ['a timer', 'export const later = setTimeout(() => {}, 1);\n', 'no-restricted-globals'],
    ['the clock', 'export const now = Date.now();\n', 'no-restricted-globals'],
    ['chance', 'export const dice = Math.random();\n', 'no-restricted-properties'],
  ];
  const pure = [
    'history',
    'kafka-client',
    'kafka-protocol',
    'commit-log',
    'metadata-quorum',
    'group-coordinator',
    'replication',
    'booking',
  ];

  const offenderOf = (library: string, what: string): string =>
    `libs/${library}/src/offends-by-${what.replaceAll(' ', '-')}.ts`;
  const edge = 'apps/broker/src/edge.ts';
  let found: readonly string[] = [];

  beforeAll(() => {
    using planted = new PlantedRepository();
    planted.plant(edge, 'export const now = Date.now();\n');
    for (const library of pure)
      for (const [what, source] of violations) planted.plant(offenderOf(library, what), source);
    found = planted.lint().output.split('\n');
  });

  for (const library of pure) {
    it.each(violations)(`${library}: catches %s`, (what, _source, rule) => {
      const own = found.filter((line) => line.includes(offenderOf(library, what)));
      expect(own.join('\n')).toContain(rule);
    });
  }

  it('does not forbid the clock at the edge', () => {
    expect(found.filter((line) => line.includes(edge))).toEqual([]);
  });
});
