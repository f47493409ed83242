import { describe, expect, it } from 'vitest';
import { PlantedRepository } from './planted-repository.ts';

const fine = 'export const fine = 1;\n';

function cruised(files: Record<string, string>): string {
  using planted = new PlantedRepository();
  for (const [file, source] of Object.entries(files)) planted.plant(file, source);
  const { exitCode, output } = planted.cruise();
  return exitCode === 0 ? 'held' : output;
}

function linted(file: string, source: string): string {
  using planted = new PlantedRepository();
  const { exitCode, output } = planted.plant(file, source).lint();
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

  const violations: readonly [string, string, string, string][] = [
    [
      'the protocol imports the log',
      'libs/kafka-protocol',
      '@seatlog/commit-log',
      'arrows-of-libs-kafka-protocol',
    ],
    [
      'a ticketing rule imports the broker’s log',
      'libs/booking',
      '@seatlog/commit-log',
      'arrows-of-libs-booking',
    ],
    [
      'the client imports the group coordinator',
      'libs/kafka-client',
      '@seatlog/group-coordinator',
      'arrows-of-libs-kafka-client',
    ],
    ['the worker imports the broker', 'apps/reservation-worker', '@seatlog/broker', 'nobody-imports-an-app'],
    [
      'booking imports the whole client',
      'libs/booking',
      '@seatlog/kafka-client',
      'booking-knows-topics-only',
    ],
    [
      'a pure core imports an adapter',
      'libs/group-coordinator',
      '@seatlog/runtime',
      'ports-are-types-in-pure-cores',
    ],
  ];

  it.each(violations)('catch it when %s', (_story, from, imported, rule) => {
    const target = imported === '@seatlog/broker' ? 'apps/broker' : imported.replace('@seatlog', 'libs');
    const outcome = cruised({
      [`${target}/src/index.ts`]: fine,
      [`${from}/src/offender.ts`]: importOf(imported),
    });
    expect(outcome).toContain(rule);
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

    it.each(['libs/local-stack', 'libs/kafka-client', 'apps/booking-api'])(
      'catch it when %s does',
      (project) => {
        const outcome = cruised({ ...entry, [`${project}/src/offender.ts`]: embedding });
        expect(outcome).toContain('nobody-imports-an-app');
      },
    );

    it('catch the test kit when it imports more of the broker, or another app', () => {
      for (const app of ['apps/broker', 'apps/booking-api']) {
        const outcome = cruised({
          [`${app}/src/index.ts`]: fine,
          'libs/kafka-testkit/src/offender.ts': importOf(app.replace('apps', '@seatlog')),
        });
        expect(outcome).toContain('only-the-test-kit-embeds-a-broker');
      }
    });
  });

  it('catch a path into another project', () => {
    const outcome = cruised({
      'libs/kafka-protocol/src/inner.ts': fine,
      'libs/commit-log/src/offender.ts': importOf('../../kafka-protocol/src/inner.ts'),
    });
    expect(outcome).toContain('no-way-around-the-front-door');
  });

  it('catch a circle', () => {
    const outcome = cruised({
      'libs/runtime/src/one.ts': `import { two } from './two.ts';\nexport const one = () => two;\n`,
      'libs/runtime/src/two.ts': `import { one } from './one.ts';\nexport const two = () => one;\n`,
    });
    expect(outcome).toContain('no-circles');
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

  for (const library of pure) {
    it.each(violations)(`${library}: catches %s`, (_what, source, rule) => {
      expect(linted(`libs/${library}/src/offender.ts`, source)).toContain(rule);
    });
  }

  it('does not forbid the clock at the edge', () => {
    expect(linted('apps/broker/src/edge.ts', 'export const now = Date.now();\n')).toBe('held');
  });
});
