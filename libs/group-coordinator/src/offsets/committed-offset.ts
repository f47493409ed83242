/** An offset as a group committed it: the next one to read. */
export interface CommittedOffset {
  readonly offset: number;
  /** The epoch of the last record read, -1 if it was not told. */
  readonly leaderEpoch: number;
  readonly metadata: string;
  readonly commitTimestamp: number;
  /** When it ends by the client's own wish (OffsetCommit 2 to 4); null: the coordinator's retention holds. */
  readonly expireTimestamp: number | null;
  /** The id of the topic it was committed for, `ZERO_UUID` where it was not known. */
  readonly topicId: string;
}

export interface OffsetKey {
  readonly topic: string;
  readonly partition: number;
}
