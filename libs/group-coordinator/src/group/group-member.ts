/** One member of a classic group: what it asked for, what it was given, and the requests it waits on. */
import { copyOf } from '../byte-copy.ts';
import type { GroupProtocol, JoinEvent, RequestToken } from '../events.ts';
import type { MemberSnapshot } from '../loading/group-snapshot.ts';

/** What a join says about its member, and a later join may change. */
export interface MemberTerms {
  readonly protocols: readonly GroupProtocol[];
  readonly rebalanceTimeoutMs: number;
  readonly sessionTimeoutMs: number;
}

export interface GroupMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  terms: MemberTerms;
  assignment: Uint8Array;
  /** No generation has held this member yet. */
  isNew: boolean;
  parkedJoin: RequestToken | null;
  parkedSync: RequestToken | null;
  /** When its session ends unless it is heard of. */
  sessionDeadline: number;
  /** When the armed session timer fires; null if none is armed. It may be earlier than the deadline. */
  sessionTimerAt: number | null;
}

const nothing = new Uint8Array(0);

export function memberTerms(event: JoinEvent): MemberTerms {
  return {
    protocols: event.protocols.map(({ name, metadata }) => ({ name, metadata: copyOf(metadata) })),
    rebalanceTimeoutMs: event.rebalanceTimeoutMs < 0 ? event.sessionTimeoutMs : event.rebalanceTimeoutMs,
    sessionTimeoutMs: event.sessionTimeoutMs,
  };
}

export function memberOfJoin(memberId: string, event: JoinEvent): GroupMember {
  return {
    memberId,
    groupInstanceId: event.groupInstanceId,
    clientId: event.clientId,
    clientHost: event.clientHost,
    terms: memberTerms(event),
    assignment: nothing,
    isNew: true,
    parkedJoin: null,
    parkedSync: null,
    sessionDeadline: 0,
    sessionTimerAt: null,
  };
}

export function memberOfSnapshot(snapshot: MemberSnapshot, protocolName: string): GroupMember {
  return {
    memberId: snapshot.memberId,
    groupInstanceId: snapshot.groupInstanceId,
    clientId: snapshot.clientId,
    clientHost: snapshot.clientHost,
    terms: {
      protocols: [{ name: protocolName, metadata: snapshot.subscription }],
      rebalanceTimeoutMs: snapshot.rebalanceTimeoutMs,
      sessionTimeoutMs: snapshot.sessionTimeoutMs,
    },
    assignment: snapshot.assignment,
    isNew: false,
    parkedJoin: null,
    parkedSync: null,
    sessionDeadline: 0,
    sessionTimerAt: null,
  };
}

/** The same member under another id: a static member that came back. Nothing is parked under the later id yet. */
export function renamedMember(member: GroupMember, memberId: string): GroupMember {
  return { ...member, memberId, parkedJoin: null, parkedSync: null, sessionTimerAt: null };
}

export function metadataFor(member: GroupMember, protocolName: string | null): Uint8Array {
  return member.terms.protocols.find(({ name }) => name === protocolName)?.metadata ?? nothing;
}

export function hasProtocols(member: GroupMember, protocols: readonly GroupProtocol[]): boolean {
  const own = member.terms.protocols;
  return (
    own.length === protocols.length &&
    protocols.every(({ name, metadata }, index) => {
      const counterpart = own[index];
      return (
        counterpart !== undefined && counterpart.name === name && sameBytes(counterpart.metadata, metadata)
      );
    })
  );
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
