/**
 * The replicas of a partition, and those that come and go while it moves (KIP-455).
 *
 * While a partition moves, `replicas` holds the wanted ones in their order, and behind them those that will be
 * removed; the added ones are among the wanted.
 */
import type { PartitionImage } from '../image/cluster-image.ts';
import type { PartitionChangeRecord } from '../records/metadata-record.ts';
import { UNASSIGNED_DIRECTORY } from '../records/metadata-record.ts';

export interface Assignment {
  readonly replicas: readonly number[];
  readonly addingReplicas: readonly number[];
  readonly removingReplicas: readonly number[];
}

export function isMoving({ addingReplicas, removingReplicas }: Assignment): boolean {
  return addingReplicas.length > 0 || removingReplicas.length > 0;
}

/** The replicas as they were before the move: what a cancelled move goes back to. */
export function originalReplicas({ replicas, addingReplicas }: Assignment): readonly number[] {
  return replicas.filter((id) => !addingReplicas.includes(id));
}

/** The replicas as they will be after the move. */
export function wantedReplicas({ replicas, removingReplicas }: Assignment): readonly number[] {
  return replicas.filter((id) => !removingReplicas.includes(id));
}

/** A move from what a partition had before any move to `target`. */
export function moveTo(current: Assignment, target: readonly number[]): Assignment {
  const original = originalReplicas(current);
  const removingReplicas = original.filter((id) => !target.includes(id));
  return {
    replicas: [...target, ...removingReplicas],
    addingReplicas: target.filter((id) => !original.includes(id)),
    removingReplicas,
  };
}

/** Assignment and ISR: with the move done, if the ISR allows it, else as they are. */
export function completedMove(
  assignment: Assignment,
  isr: readonly number[],
): { readonly assignment: Assignment; readonly isr: readonly number[] } {
  const { replicas, addingReplicas, removingReplicas } = assignment;
  const assigned = isr.filter((id) => replicas.includes(id));
  const staying = assigned.filter((id) => !removingReplicas.includes(id));
  const done =
    isMoving(assignment) && staying.length > 0 && addingReplicas.every((id) => staying.includes(id));
  if (!done) return { assignment, isr: assigned };
  return {
    assignment: { replicas: wantedReplicas(assignment), addingReplicas: [], removingReplicas: [] },
    isr: staying,
  };
}

/** The fields of a record that take a partition to an assignment. */
export function assignmentChanges(
  partition: PartitionImage,
  to: Assignment,
  directoryOf: (brokerId: number) => string,
): Partial<PartitionChangeRecord> {
  const { replicas, addingReplicas, removingReplicas } = to;
  return {
    ...(same(replicas, partition.replicas)
      ? {}
      : { replicas, directories: replicas.map((id) => directoryFor(partition, id, directoryOf)) }),
    ...(same(addingReplicas, partition.addingReplicas) ? {} : { addingReplicas }),
    ...(same(removingReplicas, partition.removingReplicas) ? {} : { removingReplicas }),
  };
}

function directoryFor(
  partition: PartitionImage,
  brokerId: number,
  directoryOf: (brokerId: number) => string,
): string {
  const place = partition.replicas.indexOf(brokerId);
  return place === -1 ? directoryOf(brokerId) : (partition.directories[place] ?? UNASSIGNED_DIRECTORY);
}

function same(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((id, index) => id === right[index]);
}
