/** What a client tells of a partition that it has moved. */
export interface MovedPartition {
  readonly leader: number;
  readonly replicas: readonly number[];
  /** In order. */
  readonly values: readonly string[];
}
