/** Requests that are refused as they are, and the answer that refuses a request of each kind. */
import { ErrorCode } from '@seatlog/kafka-protocol';
import type { GroupConfig } from './config.ts';
import type { GroupRequest } from './events.ts';
import { joinRefusal, syncRefusal } from './group/answers.ts';
import type { GroupResponse } from './responses.ts';

/**
 * What is wrong with a request whoever coordinates its group; null for nothing. Only those who never join may use the
 * empty group id, as in Kafka.
 */
export function requestFault(request: GroupRequest, config: GroupConfig): number | null {
  switch (request.type) {
    case 'join':
      if (request.groupId === '') return ErrorCode.INVALID_GROUP_ID;
      return isSessionTimeoutAllowed(request.sessionTimeoutMs, config)
        ? null
        : ErrorCode.INVALID_SESSION_TIMEOUT;
    case 'sync':
    case 'heartbeat':
    case 'leave':
    case 'delete-offsets':
      return request.groupId === '' ? ErrorCode.INVALID_GROUP_ID : null;
    default:
      return null;
  }
}

function isSessionTimeoutAllowed(timeoutMs: number, config: GroupConfig): boolean {
  return timeoutMs >= config.minSessionTimeoutMs && timeoutMs <= config.maxSessionTimeoutMs;
}

/** The answer to a request that is refused as a whole. */
export function refusalOf(request: GroupRequest, errorCode: number): GroupResponse {
  switch (request.type) {
    case 'join':
      return joinRefusal(errorCode, request.memberId);
    case 'sync':
      return syncRefusal(errorCode);
    case 'heartbeat':
      return { type: 'heartbeat', errorCode };
    case 'leave':
      return { type: 'leave', errorCode, members: [] };
    case 'commit-offsets':
      return {
        type: 'commit-offsets',
        topics: request.topics.map(({ name, partitions }) => ({
          name,
          partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })),
        })),
      };
    case 'delete-group':
      return { type: 'delete-group', errorCode };
    case 'delete-offsets':
      return { type: 'delete-offsets', errorCode, topics: [] };
  }
}
