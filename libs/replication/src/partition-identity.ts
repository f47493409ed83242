export interface PartitionIdentity {
  readonly topic: string;
  /** 22 characters of base64. */
  readonly topicId: string;
  readonly partition: number;
}

/** `<topic>-<partition>`, as logs and folders name it. */
export function partitionName({ topic, partition }: PartitionIdentity): string {
  return `${topic}-${partition}`;
}
