/** What members of a group ask, for scenarios. */
import { apis, type RequestInput } from '@seatlog/kafka-protocol';
import type { Session } from './session.ts';

export type Join = RequestInput<typeof apis.joinGroup>;

/** Longer than any scenario takes, on however busy a machine: no member is to be lost by the way. */
const SESSION_MS = 300_000;

export function joinOf(groupId: string, metadata: Uint8Array, more: Partial<Join> = {}): Join {
  return {
    groupId,
    sessionTimeoutMs: SESSION_MS,
    rebalanceTimeoutMs: SESSION_MS,
    memberId: '',
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata }],
    ...more,
  };
}

/** Waits until the group's coordinator serves it. */
export async function coordinatorOf(session: Session, groupId: string): Promise<void> {
  await session.askUntil(
    `the coordinator of ${groupId.split('.')[0]}`,
    apis.findCoordinator,
    4,
    { keyType: 0, coordinatorKeys: [groupId] },
    ({ coordinators }) => coordinators[0]?.errorCode === 0,
  );
  await session.askUntil(
    `the group ${groupId.split('.')[0]} is loaded`,
    apis.heartbeat,
    4,
    { groupId, generationId: 1, memberId: 'nobody' },
    ({ errorCode }) => errorCode === 25,
  );
}
