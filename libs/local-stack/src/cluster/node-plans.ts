/** Which nodes a cluster has. */
import type { NodeRole } from '../broker-properties.ts';

export interface NodePlan {
  readonly nodeId: number;
  readonly roles: readonly NodeRole[];
  /** Over those of the cluster. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Nodes 1 to `count`, each broker and controller. */
export function combinedNodes(count: number): readonly NodePlan[] {
  return Array.from({ length: count }, (_, index) => ({
    nodeId: index + 1,
    roles: ['broker', 'controller'],
  }));
}

/** Nodes with one role each: what stops a broker stops no voter. */
export function separateNodes(ids: {
  readonly controllers: readonly number[];
  readonly brokers: readonly number[];
}): readonly NodePlan[] {
  const withRole = (nodeIds: readonly number[], role: NodeRole): readonly NodePlan[] =>
    nodeIds.map((nodeId) => ({ nodeId, roles: [role] }));
  return [...withRole(ids.controllers, 'controller'), ...withRole(ids.brokers, 'broker')];
}

export const isBroker = ({ roles }: Pick<NodePlan, 'roles'>): boolean => roles.includes('broker');
export const isController = ({ roles }: Pick<NodePlan, 'roles'>): boolean => roles.includes('controller');
