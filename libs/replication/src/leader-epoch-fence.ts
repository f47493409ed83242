import { ErrorCode } from '@seatlog/kafka-protocol';
import { UNDEFINED_EPOCH } from './replica-log.ts';

/**
 * R25: a request must be of the epoch that this replica is in. -1 in a request means that its sender does not know.
 * Gives an error code, 0 if they agree.
 */
export function leaderEpochError(requested: number, own: number): number {
  if (requested === UNDEFINED_EPOCH || requested === own) return ErrorCode.NONE;
  return requested < own ? ErrorCode.FENCED_LEADER_EPOCH : ErrorCode.UNKNOWN_LEADER_EPOCH;
}
