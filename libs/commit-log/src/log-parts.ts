import type { LeaderEpochFileCache } from './leader-epoch-file-cache.ts';
import type { LocalLog } from './local-log.ts';
import type { LogConfig } from './log-config.ts';
import type { LogEnvironment } from './log-environment.ts';
import type { ProducerSnapshots } from './producer-snapshots.ts';
import type { ProducerStateManager } from './producer-state-manager.ts';
import type { PartitionTail } from './tail-cache.ts';

/** What a partition's log is made of; the parts that append, read and truncate share it. */
export interface LogParts {
  readonly environment: LogEnvironment;
  readonly local: LocalLog;
  readonly tail: PartitionTail;
  readonly producers: ProducerStateManager;
  readonly snapshots: ProducerSnapshots;
  readonly epochs: LeaderEpochFileCache;
  config: LogConfig;
}
