/**
 * The roles of a node, and what follows from them: which listeners are whose, who votes in the metadata quorum.
 *
 * A node with both roles and no voters named is a quorum of its own, and needs no listener for it.
 */
import { ConfigError } from './config-error.ts';
import type { BrokerConfigValues } from './definitions.ts';
import { type Listener, parseListeners } from './listener.ts';
import { parseVoters, type VoterAddress } from './quorum-voters.ts';

export interface NodeRoles {
  readonly isBroker: boolean;
  readonly isController: boolean;
  /** Empty: this node alone, reached by nobody. */
  readonly voters: readonly VoterAddress[];
  readonly clientListeners: readonly Listener[];
  readonly controllerListeners: readonly Listener[];
}

type RoleValues = Pick<
  BrokerConfigValues,
  'process.roles' | 'controller.quorum.voters' | 'controller.listener.names' | 'listeners'
>;

export function nodeRoles(values: RoleValues): NodeRoles {
  const roles = values['process.roles'];
  const controllerNames = values['controller.listener.names'].map((name) => name.toUpperCase());
  const listeners = parseListeners('listeners', values.listeners);
  return {
    isBroker: roles.includes('broker'),
    isController: roles.includes('controller'),
    voters: parseVoters(values['controller.quorum.voters']),
    clientListeners: listeners.filter(({ name }) => !controllerNames.includes(name)),
    controllerListeners: listeners.filter(({ name }) => controllerNames.includes(name)),
  };
}

export function checkRoles(values: BrokerConfigValues): void {
  const roles = values['process.roles'];
  if (roles.length === 0)
    throw new ConfigError('process.roles', 'a node needs a role: broker, controller, or both');
  if (new Set(roles).size < roles.length) throw new ConfigError('process.roles', 'a role stands twice');
  const node = nodeRoles(values);
  checkVoters(values['node.id'], node);
  checkListenersOf(node);
  const directories = values['log.dirs'];
  if (directories?.includes(',')) throw new ConfigError('log.dirs', 'one log directory is supported');
}

function checkVoters(nodeId: number, { isBroker, isController, voters }: NodeRoles): void {
  const key = 'controller.quorum.voters';
  const isVoter = voters.some(({ id }) => id === nodeId);
  if (voters.length === 0) {
    if (!isBroker || !isController) throw new ConfigError(key, 'name the voters, each id@host:port');
    return;
  }
  if (voters.length !== 1 && voters.length !== 3) {
    throw new ConfigError(key, `a quorum has one voter or three, and ${voters.length} are named`);
  }
  if (isController && !isVoter) {
    throw new ConfigError(
      key,
      `this node has the controller role, and its node.id ${nodeId} is not among them`,
    );
  }
  if (!isController && isVoter) {
    throw new ConfigError(key, `node.id ${nodeId} is among them, and this node has not the controller role`);
  }
}

function checkListenersOf(node: NodeRoles): void {
  const { isBroker, isController, voters, clientListeners, controllerListeners } = node;
  if (isBroker && clientListeners.length === 0) {
    throw new ConfigError('listeners', 'there is no listener for clients');
  }
  if (!isBroker && clientListeners.length > 0) {
    throw new ConfigError(
      'listeners',
      `${clientListeners[0]?.name} is not in controller.listener.names, and a controller serves no clients`,
    );
  }
  if (!isController && controllerListeners.length > 0) {
    throw new ConfigError(
      'listeners',
      `${controllerListeners[0]?.name} is for controllers, and this node has not the controller role`,
    );
  }
  const isAlone = isBroker && voters.length <= 1;
  if (isController && controllerListeners.length === 0 && !isAlone) {
    throw new ConfigError(
      'controller.listener.names',
      'a controller that others must reach needs one of its listeners named here',
    );
  }
}
