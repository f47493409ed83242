/** Groups whose coordinator moves to another broker (F28). */
import fc from 'fast-check';
import { encodeSubscription, ErrorCode, ZERO_UUID } from '@seatlog/kafka-protocol';
import { describe, expect, it } from 'vitest';
import type { GroupBroker } from './testing/group-broker.ts';
import { GroupCluster } from './testing/group-cluster.ts';
import { assignmentOf, GROUP, groupClients, joinAlone, STATED_PROTOCOL } from './testing/wire-member.ts';

const NOBODY = { memberId: '', generationId: -1 };

interface CommittingMember {
  readonly memberId: string;
  readonly generationId: number;
  readonly groupInstanceId?: string;
}

/** Sends a commit; the codes of the answers that come. */
function commit(broker: GroupBroker, offset: number, member: CommittingMember = NOBODY): readonly number[] {
  const codes: number[] = [];
  const { generationId, memberId, groupInstanceId = null } = member;
  broker.groups.ask(
    'commit-offsets',
    {
      groupId: GROUP,
      memberId,
      generationId,
      groupInstanceId,
      retentionTimeMs: -1,
      namesMissingGroup: true,
      topics: [
        {
          name: 'seats',
          topicId: broker.metadata.image.topics.get('seats')?.id ?? ZERO_UUID,
          partitions: [
            {
              partitionIndex: 0,
              committedOffset: offset,
              committedLeaderEpoch: -1,
              committedMetadata: '',
            },
          ],
        },
      ],
    },
    ({ topics }) => codes.push(topics[0]?.partitions[0]?.errorCode ?? -1),
  );
  return codes;
}

/** -1: nothing is committed; null: it is not served here. */
function committed(broker: GroupBroker): number | null {
  const topics = [{ name: 'seats', topicId: ZERO_UUID, partitionIndexes: [0] }];
  const { errorCode, topics: fetched } = broker.groups.fetchOffsets(GROUP, topics);
  return errorCode === ErrorCode.NONE ? (fetched[0]?.partitions[0]?.committedOffset ?? -1) : null;
}

function joinStatic(broker: GroupBroker, groupInstanceId: string, memberId = '') {
  const clients = groupClients(broker);
  const answers = clients.joinGroup.send(9, {
    groupId: GROUP,
    sessionTimeoutMs: 10_000,
    memberId,
    groupInstanceId,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: encodeSubscription({ topics: ['seats'] }) }],
  });
  broker.clock.advance(3000);
  const [joined] = answers;
  if (joined === undefined) throw new Error('the join is not answered');
  const member = { memberId: joined.memberId, generationId: joined.generationId, groupInstanceId };
  if (joined.leader === joined.memberId) {
    const assignments = [{ memberId: joined.memberId, assignment: assignmentOf(0) }];
    clients.syncGroup.call(5, { groupId: GROUP, ...member, ...STATED_PROTOCOL, assignments });
  }
  return member;
}

describe('a coordinator that moves', () => {
  it('F28: takes the committed offsets along, and the former one serves them no more', () => {
    const cluster = new GroupCluster(2);
    expect(commit(cluster.leader, 7)).toEqual([0]);
    cluster.move(1);
    expect(committed(cluster.broker(1))).toBe(7);
    expect(committed(cluster.broker(0))).toBeNull();
    expect(commit(cluster.broker(0), 8)).toEqual([ErrorCode.NOT_COORDINATOR]);
    expect(commit(cluster.broker(1), 8)).toEqual([0]);
    cluster.move(0);
    expect(committed(cluster.broker(0))).toBe(8);
  });

  it('F28: a commit that was not replicated is not acknowledged, whoever has it', () => {
    for (const share of [0, 1]) {
      const cluster = new GroupCluster(2);
      commit(cluster.leader, 7);
      cluster.holdBack(true);
      const codes = commit(cluster.leader, 8);
      cluster.move(1, share);
      expect(codes).toEqual([ErrorCode.NOT_COORDINATOR]);
      cluster.holdBack(false);
      expect(committed(cluster.broker(1))).toBe(share === 1 ? 8 : 7);
    }
  });

  it('F28: members keep their ids and generation, and have a whole session to come back', () => {
    const cluster = new GroupCluster(2);
    const member = joinAlone(cluster.leader, groupClients(cluster.leader));
    cluster.advance(9000);
    cluster.move(1);
    const clients = groupClients(cluster.broker(1));
    cluster.advance(9000);
    expect(clients.heartbeat.call(4, { groupId: GROUP, ...member }).errorCode).toBe(0);
    expect(commit(cluster.broker(1), 9, member)).toEqual([0]);
    cluster.advance(10_001);
    expect(clients.heartbeat.call(4, { groupId: GROUP, ...member }).errorCode).toBe(
      ErrorCode.UNKNOWN_MEMBER_ID,
    );
    expect(commit(cluster.broker(1), 10, member)).toEqual([ErrorCode.UNKNOWN_MEMBER_ID]);
  });

  it('F28: a member of a generation that is over is fenced there too', () => {
    const cluster = new GroupCluster(2);
    const clients = groupClients(cluster.leader);
    const stale = joinAlone(cluster.leader, clients);
    const request = { groupId: GROUP, sessionTimeoutMs: 10_000, protocolType: 'consumer' };
    const protocols = [{ name: 'range', metadata: encodeSubscription({ topics: ['seats', 'other'] }) }];
    const rejoined = clients.joinGroup.send(9, { ...request, protocols, memberId: stale.memberId });
    const current = { memberId: stale.memberId, generationId: rejoined[0]?.generationId ?? -1 };
    expect(current.generationId).toBe(stale.generationId + 1);
    const assignments = [{ memberId: stale.memberId, assignment: assignmentOf(0) }];
    clients.syncGroup.call(5, { groupId: GROUP, ...current, ...STATED_PROTOCOL, assignments });
    cluster.move(1);
    expect(commit(cluster.broker(1), 5, stale)).toEqual([ErrorCode.ILLEGAL_GENERATION]);
    const stranger = { ...current, memberId: 'somebody-else' };
    expect(commit(cluster.broker(1), 5, stranger)).toEqual([ErrorCode.UNKNOWN_MEMBER_ID]);
    expect(commit(cluster.broker(1), 5, current)).toEqual([0]);
    expect(committed(cluster.broker(1))).toBe(5);
  });

  it('F28: a static member whose place another has taken is fenced there too', () => {
    const cluster = new GroupCluster(2);
    const former = joinStatic(cluster.leader, 'worker-1');
    const current = joinStatic(cluster.leader, 'worker-1');
    expect(current.memberId).not.toBe(former.memberId);
    cluster.move(1);
    expect(commit(cluster.broker(1), 5, former)).toEqual([ErrorCode.FENCED_INSTANCE_ID]);
    expect(commit(cluster.broker(1), 5, current)).toEqual([0]);
    const { heartbeat } = groupClients(cluster.broker(1));
    expect(heartbeat.call(4, { groupId: GROUP, ...former }).errorCode).toBe(ErrorCode.FENCED_INSTANCE_ID);
    expect(heartbeat.call(4, { groupId: GROUP, ...current }).errorCode).toBe(0);
  });

  it('F28: a static member takes its place at the coordinator that knows it from the log', () => {
    const cluster = new GroupCluster(2);
    const former = joinStatic(cluster.leader, 'worker-1');
    cluster.move(1);
    const current = joinStatic(cluster.broker(1), 'worker-1');
    expect(current.memberId).not.toBe(former.memberId);
    expect(commit(cluster.broker(1), 5, former)).toEqual([ErrorCode.FENCED_INSTANCE_ID]);
  });

  it('F28: who waits for a generation or an assignment is sent away, and gets it there', () => {
    const cluster = new GroupCluster(2);
    const request = {
      groupId: GROUP,
      sessionTimeoutMs: 10_000,
      memberId: '',
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: encodeSubscription({ topics: ['seats'] }) }],
    };
    const waiting = groupClients(cluster.leader).joinGroup.send(3, request);
    expect(waiting).toEqual([]);
    cluster.move(1);
    expect(waiting).toMatchObject([{ errorCode: ErrorCode.NOT_COORDINATOR }]);
    const again = groupClients(cluster.broker(1)).joinGroup.send(3, request);
    cluster.advance(3000);
    expect(again).toMatchObject([{ errorCode: 0 }]);
  });

  it('F28: one that is replaced and does not know it yet acknowledges nothing', () => {
    const cluster = new GroupCluster(2);
    commit(cluster.leader, 7);
    cluster.holdBack(true);
    let stale: readonly number[] = [];
    cluster.move(1, 1, () => {
      stale = commit(cluster.broker(0), 8);
      cluster.advance(5001);
      expect(stale).toEqual([ErrorCode.COORDINATOR_NOT_AVAILABLE]);
    });
    cluster.holdBack(false);
    expect(stale).toHaveLength(1);
    expect(committed(cluster.broker(1))).toBe(7);
  });

  it('F28: a term that is over answers nothing, even before it is told so', () => {
    const cluster = new GroupCluster(1);
    commit(cluster.leader, 7);
    for (const index of cluster.partitions) cluster.leader.offsetsPartition(index).leaderEpoch = 3;
    expect(committed(cluster.leader)).toBeNull();
    expect(commit(cluster.leader, 8)).toEqual([ErrorCode.NOT_COORDINATOR]);
    cluster.move(0);
    expect(committed(cluster.leader)).toBe(7);
  });

  it('F28: a write of a term before comes through without harm', () => {
    const cluster = new GroupCluster(2);
    cluster.holdBack(true);
    const codes = commit(cluster.leader, 5);
    // The same broker is elected again: the write goes on, and is read back as well.
    cluster.move(0);
    expect(codes).toEqual([ErrorCode.NOT_COORDINATOR]);
    cluster.replicate();
    expect(codes).toHaveLength(1);
    expect(committed(cluster.leader)).toBe(5);
  });
});

describe('histories of moves', () => {
  const step = fc.oneof(
    { arbitrary: fc.constant({ kind: 'commit' } as const), weight: 4 },
    { arbitrary: fc.constant({ kind: 'replicate' } as const), weight: 2 },
    {
      arbitrary: fc.record({
        kind: fc.constant('move' as const),
        to: fc.nat({ max: 2 }),
        share: fc.constantFrom(0, 0.5, 1),
        isNoticed: fc.boolean(),
      }),
      weight: 2,
    },
    { arbitrary: fc.constant({ kind: 'wait' } as const), weight: 1 },
  );

  it('F28: what was acknowledged is there, wherever the group is served, in every history', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const cluster = new GroupCluster(3);
        cluster.holdBack(true);
        const sent: { readonly offset: number; readonly codes: readonly number[] }[] = [];
        const send = (broker: GroupBroker): void => {
          const offset = sent.length + 1;
          sent.push({ offset, codes: commit(broker, offset) });
        };
        for (const each of steps) {
          if (each.kind === 'commit') send(cluster.leader);
          else if (each.kind === 'replicate') cluster.replicate();
          else if (each.kind === 'wait') cluster.advance(5001);
          else {
            const before = cluster.leader;
            cluster.move(each.to, each.share, () => {
              if (!each.isNoticed) send(before);
            });
          }
          const acknowledged = sent.filter(({ codes }) => codes[0] === ErrorCode.NONE);
          const newest = acknowledged.at(-1)?.offset ?? -1;
          const served = committed(cluster.leader);
          if (served !== null) expect(served).toBeGreaterThanOrEqual(newest);
        }
        cluster.holdBack(false);
        expect(committed(cluster.leader)).not.toBeNull();
        cluster.advance(5001);
        expect(sent.every(({ codes }) => codes.length === 1)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
