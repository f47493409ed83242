// The arrows of the architecture, as rules that fail the check. ARCHITECTURE.md draws them.
//
// `arrows` lists for each project the projects it may import. What is not listed is forbidden. It is parsed with
// TypeScript 6, since the native compiler has no interface to parse with; scripts/check.ts fails when nothing was looked at.

/** @type {Record<string, string[]>} */
const arrows = {
  'libs/kafka-protocol': [],
  'libs/runtime': [],
  'libs/observability': [],
  'libs/commit-log': ['libs/kafka-protocol', 'libs/runtime'],
  'libs/metadata-quorum': ['libs/kafka-protocol', 'libs/runtime'],
  'libs/group-coordinator': ['libs/kafka-protocol', 'libs/runtime'],
  'libs/replication': ['libs/kafka-protocol', 'libs/runtime'],
  'libs/history': [],
  'libs/simulation': [
    'libs/kafka-protocol',
    'libs/runtime',
    'libs/commit-log',
    'libs/metadata-quorum',
    'libs/replication',
  ],
  'libs/kafka-client': ['libs/kafka-protocol'],
  'libs/kafka-testkit': ['libs/kafka-protocol', 'libs/runtime', 'libs/kafka-client', 'apps/broker'],
  'libs/kafka-nest': ['libs/kafka-client', 'libs/observability', 'libs/runtime'],
  'libs/booking': ['libs/kafka-client'],
  'libs/seat-lock': ['libs/booking'],
  'libs/booking-database': ['libs/booking'],
  'libs/local-stack': ['libs/kafka-client'],
  'libs/lab': ['libs/kafka-client', 'libs/kafka-protocol', 'libs/local-stack'],
  'libs/ticketing-setup': ['libs/booking', 'libs/booking-database', 'libs/kafka-client'],
  'apps/broker': [
    'libs/kafka-protocol',
    'libs/runtime',
    'libs/commit-log',
    'libs/metadata-quorum',
    'libs/group-coordinator',
    'libs/replication',
  ],
  'apps/booking-api': [
    'libs/booking',
    'libs/kafka-client',
    'libs/seat-lock',
    'libs/booking-database',
    'libs/observability',
    'libs/runtime',
  ],
  'apps/reservation-worker': [
    'libs/booking',
    'libs/kafka-client',
    'libs/seat-lock',
    'libs/booking-database',
    'libs/observability',
    'libs/runtime',
    'libs/kafka-nest',
  ],
  'apps/outbox-relay': [
    'libs/booking',
    'libs/kafka-client',
    'libs/booking-database',
    'libs/observability',
    'libs/runtime',
  ],
  'apps/refund-notifier': [
    'libs/booking',
    'libs/kafka-client',
    'libs/booking-database',
    'libs/observability',
    'libs/runtime',
    'libs/kafka-nest',
  ],
  'apps/cli': ['libs/lab', 'libs/local-stack'],
  'apps/set-up': ['libs/booking-database', 'libs/observability', 'libs/ticketing-setup'],
};

/** Tests may in addition start services and speak to the broker as a client does. */
const alsoForTests = ['libs/local-stack', 'libs/kafka-client', 'libs/runtime'];

const escaped = (path) => path.replaceAll('/', '\\/');
const anyOf = (paths) => `^(${paths.map(escaped).join('|')})\\/`;
const isTest = '(\\.test\\.ts$|\\/testing(\\/|\\.ts$)|\\/vectors\\/)';

const arrowRules = Object.entries(arrows).flatMap(([project, allowed]) => [
  {
    name: `arrows-of-${project.replace('/', '-')}`,
    comment: `${project} may import only: ${allowed.join(', ') || 'nothing of ours'}.`,
    severity: 'error',
    from: { path: `^${escaped(project)}\\/`, pathNot: isTest },
    to: { path: '^(libs|apps|load-tests|benchmarks|tests)\\/', pathNot: anyOf([project, ...allowed]) },
  },
  {
    name: `arrows-of-tests-in-${project.replace('/', '-')}`,
    severity: 'error',
    from: { path: `^${escaped(project)}\\/.*${isTest}` },
    to: {
      path: '^(libs|apps|load-tests|benchmarks|tests)\\/',
      pathNot: anyOf([project, ...allowed, ...alsoForTests]),
    },
  },
]);

export default {
  forbidden: [
    ...arrowRules,
    {
      name: 'nobody-imports-an-app',
      comment:
        'Applications are started as processes, never imported. The one exception has a rule of its own.',
      severity: 'error',
      from: {
        path: '^((?:libs|apps)\\/[^/]+|load-tests|benchmarks|tests|scripts)\\/',
        pathNot: '^libs\\/kafka-testkit\\/',
      },
      to: { path: '^apps\\/', pathNot: ['^$1\\/'] },
    },
    {
      name: 'only-the-test-kit-embeds-a-broker',
      comment:
        'The test kit runs a broker in the process of a test, on virtual time and a disk in memory, which no process ' +
        'started from outside can be given. It sees the one entry made for that; whoever else wants a broker in ' +
        'its process asks the test kit, so that all the others still know the broker by the wire alone.',
      severity: 'error',
      from: { path: '^libs\\/kafka-testkit\\/' },
      to: { path: '^apps\\/', pathNot: '^apps\\/broker\\/src\\/embedded\\.ts$' },
    },
    {
      name: 'ports-are-types-in-pure-cores',
      comment: 'Pure cores know ports by their types; adapters are joined at the edge.',
      severity: 'error',
      from: { path: '^libs\\/(metadata-quorum|group-coordinator|replication)\\/', pathNot: isTest },
      to: { path: '^libs\\/runtime\\/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'booking-knows-topics-only',
      comment: 'The rules of booking use the pure topic declarations of the client, not the client.',
      severity: 'error',
      from: { path: '^libs\\/booking\\/', pathNot: isTest },
      to: { path: '^libs\\/kafka-client\\/', pathNot: '^libs\\/kafka-client\\/src\\/topics' },
    },
    {
      name: 'no-way-around-the-front-door',
      comment: 'Another project is imported by its package name, not by a path into it.',
      severity: 'error',
      from: { path: '^((?:libs|apps)\\/[^/]+)\\/' },
      to: {
        path: '^(libs|apps)\\/',
        pathNot: [
          '^$1\\/',
          '^libs\\/[^/]+\\/src\\/(index|testing|topics)\\.ts$',
          '^apps\\/broker\\/src\\/embedded\\.ts$',
        ],
      },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'nothing-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|node_modules|\\.cache|\\.data)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
