/** What a follower does to its log, and what came of it in the terms of replication. */
import { LogError, type PartitionLog } from '@seatlog/commit-log';
import type { LogOutcome } from '@seatlog/replication';
import type { Logger } from '../logger.ts';

/** `done` is called once, and may be called before this returns. */
export function appendFetched(
  log: PartitionLog,
  records: Uint8Array,
  done: (outcome: LogOutcome) => void,
): void {
  const result = log.appendAsFollower(records, (error) => done(outcomeOf(log, error)));
  if (!result.accepted) done(outcomeOf(log, result.error));
}

/** The same. */
export function cutLog(
  log: PartitionLog,
  { type, offset }: { readonly type: 'truncate' | 'restart-log'; readonly offset: number },
  done: (outcome: LogOutcome) => void,
): void {
  const finish = (error: LogError | null): void => done(outcomeOf(log, error));
  if (type === 'truncate') log.truncateTo(offset, finish);
  else log.truncateFullyAndStartAt(offset, finish);
}

/** That it cannot be raised now harms nobody: the next answer of the leader says it again. */
export function raiseLogStart(log: PartitionLog, offset: number, logger: Logger): void {
  try {
    log.deleteRecordsBefore(offset);
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    const { topic, partition } = log;
    logger.warn('The log start could not be raised', { topic, partition, offset, error });
  }
}

/** A disk that is full may have room again; a log that is fenced or closed takes no more. */
function outcomeOf(log: PartitionLog, error: LogError | null): LogOutcome {
  if (error === null) return 'done';
  return log.failure !== null || error.code === 'LOG_CLOSED' ? 'failed' : 'retry';
}
