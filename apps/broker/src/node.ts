/** Starts a node with the roles that its configuration gives it. */
import { startBroker } from './broker.ts';
import { nodeRoles } from './config/node-roles.ts';
import { startController } from './controller-node.ts';
import type { NodeOptions, RunningNode } from './node-options.ts';

export function startNode(options: NodeOptions): Promise<RunningNode> {
  return nodeRoles(options.config.values).isBroker ? startBroker(options) : startController(options);
}
