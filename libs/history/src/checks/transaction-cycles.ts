/**
 * Circles of transactions. One depends on another when it wrote the next record of a partition after the other's
 * (ww), or read what the other wrote (wr). A circle of ww alone is G0; one with a wr in it is G1c.
 */
import type { Anomaly } from '../anomaly.ts';
import type { History, Operation } from '../history.ts';
import type { Versions } from '../partition-versions.ts';
import { type Edges, stronglyConnected } from '../strongly-connected.ts';

export function transactionCycles(versions: Versions, history: History): readonly Anomaly[] {
  // Without an operation of several actions nothing can close a circle.
  const isTransaction = (entry: History[number]): boolean =>
    entry.kind === 'operation' && entry.actions.length > 1;
  if (!history.some(isTransaction)) return [];
  const overwrites = overwriteEdges(versions);
  const reads = readEdges(versions, history);
  const both = merged(overwrites, reads);
  const g0 = stronglyConnected(overwrites).map((circle) => describe('G0', circle));
  const g1c = stronglyConnected(both)
    .filter((circle) => hasEdgeWithin(reads, circle))
    .map((circle) => describe('G1c', circle));
  return [...g0, ...g1c];
}

function overwriteEdges(versions: Versions): Edges<Operation> {
  const edges = new Map<Operation, Set<Operation>>();
  for (const { values } of versions.partitions.values()) {
    let before: Operation | undefined;
    for (const value of values) {
      const writer = value === undefined ? undefined : versions.sends.get(value)?.operation;
      if (writer === undefined || writer.outcome === 'failed') continue;
      if (before !== undefined) connect(edges, before, writer);
      before = writer;
    }
  }
  return edges;
}

function readEdges(versions: Versions, history: History): Edges<Operation> {
  const edges = new Map<Operation, Set<Operation>>();
  for (const entry of history) {
    if (entry.kind !== 'operation' || entry.outcome === 'failed') continue;
    for (const action of entry.actions) {
      if (action.kind !== 'poll') continue;
      for (const [, value] of action.records) {
        const writer = versions.sends.get(value)?.operation;
        if (writer !== undefined) connect(edges, writer, entry);
      }
    }
  }
  return edges;
}

function connect(edges: Map<Operation, Set<Operation>>, from: Operation, to: Operation): void {
  if (from === to) return;
  const known = edges.get(from);
  if (known === undefined) edges.set(from, new Set([to]));
  else known.add(to);
}

function merged(one: Edges<Operation>, other: Edges<Operation>): Edges<Operation> {
  const all = new Map([...one].map(([from, to]) => [from, new Set(to)]));
  for (const [from, targets] of other) for (const to of targets) connect(all, from, to);
  return all;
}

function hasEdgeWithin(edges: Edges<Operation>, circle: readonly Operation[]): boolean {
  const members = new Set(circle);
  return circle.some((from) => [...(edges.get(from) ?? [])].some((to) => members.has(to)));
}

function describe(kind: 'G0' | 'G1c', circle: readonly Operation[]): Anomaly {
  const names = circle
    .toSorted((a, b) => a.began - b.began)
    .map(({ process, began }) => `${process}'s operation ${began}`);
  return { kind, partition: null, message: `${names.join(', ')} depend on each other in a circle` };
}
