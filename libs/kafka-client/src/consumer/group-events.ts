/** What a member of a group is told, and what it asks for. Types only. */
import type { KafkaClientError } from '../errors.ts';
import type { TopicPartition } from './types.ts';

export type MemberState =
  | 'idle'
  | 'finding'
  | 'revoking'
  | 'joining'
  | 'dealing'
  | 'syncing'
  | 'assigning'
  | 'stable'
  | 'expelled'
  | 'leaving'
  | 'left'
  | 'failed';

export interface JoinedMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly metadata: Uint8Array;
}

export interface MemberAssignment {
  readonly memberId: string;
  readonly assignment: Uint8Array;
}

export interface JoinAnswer {
  readonly errorCode: number;
  readonly generationId: number;
  readonly protocolName: string | null;
  readonly leader: string;
  readonly memberId: string;
  readonly skipAssignment: boolean;
  readonly members: readonly JoinedMember[];
}

/** What came of an effect. */
export type MemberAnswer =
  | { readonly type: 'coordinator found' }
  | { readonly type: 'joined'; readonly answer: JoinAnswer }
  | { readonly type: 'dealt'; readonly assignments: readonly MemberAssignment[] }
  | { readonly type: 'synced'; readonly errorCode: number; readonly partitions: readonly TopicPartition[] }
  | { readonly type: 'revoked' }
  | { readonly type: 'assigned' }
  | { readonly type: 'heartbeat answered'; readonly errorCode: number }
  /** A request of the group got no answer, or the coordinator could not be found. */
  | { readonly type: 'connection lost'; readonly error: KafkaClientError }
  | { readonly type: 'left' };

/** What happens around the member. */
export type MemberSignal =
  | { readonly type: 'start' }
  | { readonly type: 'heartbeat due' }
  | { readonly type: 'retry due' }
  /** The loop has not asked for records for too long. */
  | { readonly type: 'poll overdue' }
  | { readonly type: 'polled' }
  /** The leader sees other partition counts than those it dealt out. */
  | { readonly type: 'partitions changed' }
  /** A commit was refused since the group has moved on. */
  | { readonly type: 'fenced'; readonly errorCode: number }
  | { readonly type: 'close' };

export type MemberEffect =
  | { readonly type: 'find coordinator' }
  | {
      readonly type: 'join';
      readonly memberId: string;
      readonly owned: readonly TopicPartition[];
      readonly generation: number;
    }
  | { readonly type: 'deal'; readonly protocolName: string; readonly members: readonly JoinedMember[] }
  | {
      readonly type: 'sync';
      readonly protocolName: string;
      readonly assignments: readonly MemberAssignment[];
    }
  | { readonly type: 'heartbeat' }
  | { readonly type: 'revoke'; readonly partitions: readonly TopicPartition[]; readonly lost: boolean }
  | { readonly type: 'assign'; readonly partitions: readonly TopicPartition[] }
  | { readonly type: 'retry later'; readonly failures: number; readonly code: string }
  | { readonly type: 'leave'; readonly memberId: string }
  | { readonly type: 'fail'; readonly error: KafkaClientError }
  | { readonly type: 'done' };
