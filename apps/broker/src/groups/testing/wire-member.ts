/** A member that speaks the group APIs at given versions, each request through its codec. */
import { apis, encodeAssignment, encodeSubscription, ErrorCode } from '@seatlog/kafka-protocol';
import { offsetCommit } from '../../handlers/08-offset-commit.ts';
import { offsetFetch } from '../../handlers/09-offset-fetch.ts';
import { findCoordinator } from '../../handlers/10-find-coordinator.ts';
import { joinGroup } from '../../handlers/11-join-group.ts';
import { heartbeat } from '../../handlers/12-heartbeat.ts';
import { leaveGroup } from '../../handlers/13-leave-group.ts';
import { syncGroup } from '../../handlers/14-sync-group.ts';
import { describeGroups } from '../../handlers/15-describe-groups.ts';
import { listGroups } from '../../handlers/16-list-groups.ts';
import { deleteGroups } from '../../handlers/42-delete-groups.ts';
import { offsetDelete } from '../../handlers/47-offset-delete.ts';
import type { GroupBroker } from './group-broker.ts';

export const GROUP = 'db-writer';

export const assignmentOf = (...partitions: number[]): Uint8Array =>
  encodeAssignment({ assignedPartitions: [{ topic: 'seats', partitions }] });

export function groupClients(broker: GroupBroker) {
  return {
    offsetCommit: broker.client(apis.offsetCommit, offsetCommit),
    offsetFetch: broker.client(apis.offsetFetch, offsetFetch),
    findCoordinator: broker.client(apis.findCoordinator, findCoordinator),
    joinGroup: broker.client(apis.joinGroup, joinGroup),
    heartbeat: broker.client(apis.heartbeat, heartbeat),
    leaveGroup: broker.client(apis.leaveGroup, leaveGroup),
    syncGroup: broker.client(apis.syncGroup, syncGroup),
    describeGroups: broker.client(apis.describeGroups, describeGroups),
    listGroups: broker.client(apis.listGroups, listGroups),
    deleteGroups: broker.client(apis.deleteGroups, deleteGroups),
    offsetDelete: broker.client(apis.offsetDelete, offsetDelete),
  };
}

export type GroupClients = ReturnType<typeof groupClients>;

/** What SyncGroup states from version 5 on. */
export const STATED_PROTOCOL = { protocolType: 'consumer', protocolName: 'range' } as const;

export interface WireMember {
  readonly memberId: string;
  readonly generationId: number;
}

/** One member, alone in its group, with partitions 0 and 1 of `seats`. */
export function joinAlone(
  broker: GroupBroker,
  clients: GroupClients,
  versions: { readonly join: number; readonly sync: number } = { join: 9, sync: 5 },
): WireMember {
  const request = {
    groupId: GROUP,
    sessionTimeoutMs: 10_000,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: encodeSubscription({ topics: ['seats'] }) }],
  };
  let answers = clients.joinGroup.send(versions.join, { ...request, memberId: '' });
  if (answers[0]?.errorCode === ErrorCode.MEMBER_ID_REQUIRED) {
    answers = clients.joinGroup.send(versions.join, { ...request, memberId: answers[0].memberId });
  }
  broker.clock.advance(3000);
  const [joined] = answers;
  if (joined === undefined || joined.errorCode !== ErrorCode.NONE) {
    throw new Error(`joining ended with ${joined?.errorCode}`);
  }
  const { memberId, generationId } = joined;
  clients.syncGroup.call(versions.sync, {
    groupId: GROUP,
    generationId,
    memberId,
    ...STATED_PROTOCOL,
    assignments: [{ memberId, assignment: assignmentOf(0, 1) }],
  });
  return { memberId, generationId };
}
