/** A group as its record in the log tells it. */
export interface MemberSnapshot {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly rebalanceTimeoutMs: number;
  readonly sessionTimeoutMs: number;
  /** The member's metadata for the group's protocol. */
  readonly subscription: Uint8Array;
  readonly assignment: Uint8Array;
}

export interface GroupSnapshot {
  readonly protocolType: string | null;
  readonly generationId: number;
  readonly protocolName: string | null;
  readonly leaderId: string | null;
  /** When the group came into its state; null in records too old to tell. */
  readonly stateTimestamp: number | null;
  readonly members: readonly MemberSnapshot[];
}
