import { SeededRandom, MemoryFileSystem } from '@seatlog/runtime/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogConfig } from './log-config.ts';
import { contentsOf, CrashModel, type LogAction } from './testing/crash-model.ts';
import { openTestDirectory, type TestDirectory } from './testing/test-directory.ts';

const CRASH_STATES = Number(process.env['CRASH_STATES'] ?? 2000);
const TOPICS = ['seats', 'refunds'];

const append = fc.record({
  kind: fc.constant('append' as const),
  size: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 61, max: 300 }) },
    fc.integer({ min: 300, max: 9000 }),
  ),
  count: fc.integer({ min: 1, max: 4 }),
  producer: fc.option(fc.integer({ min: 1, max: 3 })),
  later: fc.integer({ min: -50, max: 500 }),
  nextEpoch: fc.boolean(),
});

const action: fc.Arbitrary<LogAction> = fc.oneof(
  { weight: 10, arbitrary: append },
  { weight: 6, arbitrary: fc.constant({ kind: 'endTurn' as const }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('deliver' as const), place: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'flush' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'roll' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('truncate' as const), back: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('deleteRecords' as const),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'retain' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'checkpoint' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      milliseconds: fc.constantFrom(10, 6000, 70_000),
    }),
  },
);

const config: fc.Arbitrary<Partial<LogConfig>> = fc.record({
  segmentBytes: fc.constantFrom(14, 400, 1500, 20_000),
  indexIntervalBytes: fc.constantFrom(1, 200, 4096),
  flushMessages: fc.constantFrom(1, 1, 3, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
  retentionBytes: fc.constantFrom(-1, 3000),
});

const story = fc.record({
  seed: fc.integer(),
  config,
  held: fc.boolean(),
  /** Without a cache every read goes to the files. */
  limits: fc.record({
    tailCacheBytes: fc.constantFrom(0, 2000, 1_000_000),
    openSegments: fc.constantFrom(1, 100),
  }),
  steps: fc.array(fc.record({ action, second: fc.boolean() }), { minLength: 1, maxLength: 100 }),
  /** The change of the disk upon which the power goes. */
  crashAt: fc.nat(200),
  kind: fc.constantFrom('process' as const, 'power' as const),
  /** A second crash, while the first is being recovered from. */
  crashAgainAt: fc.option(fc.nat(20)),
});

type Story = typeof story extends fc.Arbitrary<infer Told> ? Told : never;

/** Whatever happens once the machine is off ends the story; before that, an error is a failure. */
function untilPowerOff(files: MemoryFileSystem, part: () => void): void {
  try {
    part();
  } catch (error) {
    if (!files.isOff) throw error;
  }
}

function perform(test: TestDirectory, model: CrashModel, topic: string, step: LogAction): void {
  const log = test.directory.get(topic, 0);
  if (log === undefined) return;
  log.updateHighWatermark(log.logEndOffset);
  switch (step.kind) {
    case 'append':
      return model.append(log, step);
    case 'endTurn':
      return test.turns.end();
    case 'deliver':
      return test.files.deliver(step.place % Math.max(1, test.files.heldCompletions.length));
    case 'flush':
      return model.flush(log);
    case 'roll':
      return log.roll();
    case 'truncate':
      return model.truncate(log, step.back);
    case 'deleteRecords': {
      const range = log.highWatermark - log.logStartOffset;
      return log.deleteRecordsBefore(log.logStartOffset + Math.floor(range * step.part));
    }
    case 'retain':
      return void log.applyRetention(test.clock.now());
    case 'checkpoint':
      return test.directory.checkpoint();
    case 'wait':
      return test.clock.advance(step.milliseconds);
    case 'restart':
      throw new Error('restarts are the storyteller’s');
    default:
      return step satisfies never;
  }
}

/** Tells the story up to the crash, and gives the disk and what was promised. */
function tell({ seed, config, limits, held, steps, crashAt }: Story) {
  const files = new MemoryFileSystem({
    random: new SeededRandom(seed),
    completions: held ? 'held' : 'at once',
  });
  const models = new Map<string, CrashModel>();
  untilPowerOff(files, () => {
    let test = openTestDirectory({ files, config, limits });
    for (const topic of TOPICS) {
      const log = test.log(topic);
      models.set(topic, new CrashModel(log.config));
    }
    files.powerOffAfter(crashAt);
    for (const { action, second } of steps) {
      const topic = TOPICS[second ? 1 : 0] ?? '';
      const model = models.get(topic);
      if (model === undefined || files.isOff) return;
      if (action.kind === 'restart') test = stopAndStart(test, models);
      else perform(test, model, topic, action);
    }
    settle(test);
    if (!files.isOff) verifyAll(test, models, 'none');
  });
  return { files, models };
}

/** Lets everything that is queued or in flight come to its end. */
function settle({ files, turns }: TestDirectory): void {
  while (!files.isOff && (turns.pending > 0 || files.heldCompletions.length > 0)) {
    turns.endAll();
    files.deliverAll();
  }
}

function stopAndStart(test: TestDirectory, models: ReadonlyMap<string, CrashModel>): TestDirectory {
  settle(test);
  const { completions } = test.files;
  test.files.completions = 'at once';
  const next = test.restart();
  for (const [topic, model] of models) model.restarted(next.log(topic));
  test.files.completions = completions;
  return next;
}

function survive(told: Story): void {
  const { files, models } = tell(told);
  files.crash({ kind: told.kind });
  files.completions = 'at once';
  if (told.crashAgainAt !== null) {
    files.powerOffAfter(told.crashAgainAt);
    untilPowerOff(files, () => openTestDirectory({ files, config: told.config, limits: told.limits }));
    files.crash({ kind: told.kind });
  }
  const first = openTestDirectory({ files, config: told.config, limits: told.limits });
  verifyAll(first, models, told.kind);
  verifySame(first, first.crash(told.kind));
  const again = openAfterCrash(files, told);
  for (const [topic, model] of models) continueWith(again, topic, model);
  verifyAll(again.restart(), models, 'none');
}

function openAfterCrash(files: MemoryFileSystem, { config, limits }: Story): TestDirectory {
  files.crash({ kind: 'process' });
  return openTestDirectory({ files, config, limits });
}

function verifyAll(
  test: TestDirectory,
  models: ReadonlyMap<string, CrashModel>,
  kind: 'process' | 'power' | 'none',
): void {
  expect([...test.directory.failures.values()]).toEqual([]);
  for (const [topic, model] of models) {
    const log = test.directory.get(topic, 0);
    // Its directory may be lost together with all that it held, if nothing of it was promised.
    model.verify(log ?? test.log(topic), kind);
  }
}

/** A second start finds what the first one left, and nothing to do. */
function verifySame(before: TestDirectory, after: TestDirectory): void {
  for (const log of after.directory.partitions()) {
    const same = before.directory.get(log.topic, 0);
    expect([log.logStartOffset, log.logEndOffset]).toEqual([same?.logStartOffset, same?.logEndOffset]);
  }
  expect(after.events.filter((event) => event.level !== 'info')).toEqual([]);
}

/** The log works on after the crash. */
function continueWith(test: TestDirectory, topic: string, model: CrashModel): void {
  const log = test.log(topic);
  model.adopt(log);
  for (let round = 0; round < 3; round += 1) {
    model.append(log, { kind: 'append', size: 150, count: 2, producer: 1, later: 1, nextEpoch: false });
    test.turns.endAll();
  }
  expect(contentsOf(log).length).toBeGreaterThanOrEqual(3);
}

describe('a log after a crash', () => {
  it('F1, F5: is a contiguous prefix of what was appended, with all that was promised, and stays so', () => {
    fc.assert(fc.property(story, survive), { numRuns: CRASH_STATES });
  }, 600_000);
});
