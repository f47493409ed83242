/** What a node says of itself at `GET /state`: the part that those who watch clusters go by. */
export interface NodeState {
  readonly broker: {
    readonly nodeId: number;
    readonly clusterId: string;
    readonly state: string;
    /** The active controller, -1 while none is known. */
    readonly controllerId: number;
    readonly metadataOffset: number;
  };
  /** Of the replicas that are here. */
  readonly partitions: readonly PartitionState[];
  readonly fetchers?: readonly { readonly name: string; readonly leaderId: number }[];
}

export interface PartitionState {
  readonly topic: string;
  readonly partition: number;
  readonly leader: number;
  readonly leaderEpoch: number;
  readonly partitionEpoch: number;
  readonly replicas: readonly number[];
  readonly isr: readonly number[];
  readonly elr?: readonly number[];
  readonly lastKnownElr?: readonly number[];
  readonly logStartOffset: number;
  readonly highWatermark: number;
  readonly logEndOffset: number;
}

/** Longer than a healthy node takes; a node that is stopped (SIGSTOP) never answers. */
const STATE_DEADLINE_MS = 5_000;

export async function readNodeState(httpUrl: string): Promise<NodeState> {
  const response = await fetch(`${httpUrl}/state`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(STATE_DEADLINE_MS),
  });
  if (!response.ok) throw new Error(`${httpUrl}/state answers ${response.status}`);
  return (await response.json()) as NodeState;
}
