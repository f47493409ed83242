import { ManualClock, ManualTurns, MemoryFileSystem, SeededRandom } from '@seatlog/runtime/testing';
import { openLogDirectory } from '../disk-log-directory.ts';
import { DEFAULT_LOG_CONFIG, type LogConfig } from '../log-config.ts';
import type { LogDirectory, LogEvent, LogIntervals, LogLimits } from '../log-directory.ts';
import type { LogError } from '../log-error.ts';
import type { AcceptedAppend, AppendOptions, PartitionLog } from '../partition-log.ts';

export interface TestDirectoryOptions {
  readonly files?: MemoryFileSystem;
  readonly clock?: ManualClock;
  readonly config?: Partial<LogConfig>;
  readonly limits?: Partial<LogLimits>;
  readonly intervals?: Partial<LogIntervals>;
  readonly clusterId?: string;
  readonly nodeId?: number;
  readonly seed?: number;
  /** Default: every partition found is loaded. */
  readonly load?: boolean;
}

const TEST_PATH = '/logs';
const CLUSTER_ID = 'MkU3OEVBNTcwNTJENDM2Qk';

/** A log directory on a disk in memory, with time and turns by hand, and a record of what it told its owner. */
export class TestDirectory {
  readonly files: MemoryFileSystem;
  readonly clock: ManualClock;
  readonly turns = new ManualTurns();
  readonly events: LogEvent[] = [];
  readonly failures: LogError[] = [];
  readonly advanced: number[] = [];
  readonly directory: LogDirectory;
  readonly #options: TestDirectoryOptions;
  readonly config: LogConfig;

  constructor(options: TestDirectoryOptions = {}) {
    this.#options = options;
    this.files = options.files ?? new MemoryFileSystem({ random: new SeededRandom(options.seed ?? 1) });
    this.clock = options.clock ?? new ManualClock();
    this.config = { ...DEFAULT_LOG_CONFIG, ...options.config };
    this.directory = openLogDirectory({
      path: TEST_PATH,
      clusterId: options.clusterId ?? CLUSTER_ID,
      nodeId: options.nodeId ?? 1,
      fileSystem: this.files,
      clock: this.clock,
      timers: this.clock,
      turns: this.turns,
      random: new SeededRandom(options.seed ?? 1),
      limits: options.limits ?? {},
      intervals: options.intervals ?? {},
      listener: {
        report: (event) => this.events.push(event),
        failed: (_log, error) => this.failures.push(error),
        logEndOffsetAdvanced: (log) => this.advanced.push(log.logEndOffset),
      },
    });
    if (options.load !== false) this.directory.loadAll(() => this.config);
  }

  /** The partition, made when it is not there. */
  log(topic = 'seats', partition = 0): PartitionLog {
    const { directory, config } = this;
    return directory.get(topic, partition) ?? directory.create(topic, partition, { topicId: null, config });
  }

  /** Appends, ends the turn, and gives what the append was told; fails when it was refused or did not get through. */
  append(log: PartitionLog, batch: Uint8Array, leaderEpoch = 0, options?: AppendOptions): AcceptedAppend {
    let outcome: LogError | null | undefined;
    const result = log.append(
      batch,
      leaderEpoch,
      (error) => {
        outcome = error;
      },
      options,
    );
    if (!result.accepted) throw result.error;
    this.turns.endAll();
    if (outcome === undefined) throw new Error('the append was not completed');
    if (outcome !== null) throw outcome;
    return result;
  }

  /** Stops cleanly and starts anew on the same disk. */
  restart(changes: Partial<TestDirectoryOptions> = {}): TestDirectory {
    this.close();
    return this.#again(changes);
  }

  /** Loses the process, or the power with what was not synced, and starts anew on the same disk. */
  crash(kind: 'process' | 'power', changes: Partial<TestDirectoryOptions> = {}): TestDirectory {
    this.files.crash({ kind });
    return this.#again(changes);
  }

  close(): void {
    let outcome: LogError | null | undefined;
    this.directory.close({ brokerEpoch: 1 }, (error) => {
      outcome = error;
    });
    if (outcome === undefined) throw new Error('the directory did not close');
  }

  #again(changes: Partial<TestDirectoryOptions>): TestDirectory {
    return new TestDirectory({ ...this.#options, files: this.files, clock: this.clock, ...changes });
  }
}

export function openTestDirectory(options?: TestDirectoryOptions): TestDirectory {
  return new TestDirectory(options);
}
