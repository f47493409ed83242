/** Relations between settings that each are fine by themselves. The first that is broken is refused by name. */
import { ConfigError } from './config-error.ts';
import type { BrokerConfigValues } from './definitions.ts';
import { parseEndpoint, parseListeners } from './listener.ts';

export function checkRelations(values: BrokerConfigValues): void {
  checkRoles(values);
  checkListeners(values);
  checkLimits(values);
}

function checkRoles(values: BrokerConfigValues): void {
  const roles = values['process.roles'];
  if (!roles.includes('broker') || !roles.includes('controller')) {
    throw new ConfigError(
      'process.roles',
      'this node needs both roles, broker,controller: the metadata quorum has one voter, in the same process',
    );
  }
  const voters = values['controller.quorum.voters'];
  const own = voters.filter((voter) => voter.startsWith(`${values['node.id']}@`));
  if (voters.length > 0 && (voters.length !== 1 || own.length !== 1)) {
    throw new ConfigError(
      'controller.quorum.voters',
      `the quorum is this node alone (node.id ${values['node.id']})`,
    );
  }
  const directories = values['log.dirs'];
  if (directories?.includes(',')) throw new ConfigError('log.dirs', 'one log directory is supported');
}

function checkListeners(values: BrokerConfigValues): void {
  const listeners = parseListeners('listeners', values.listeners);
  const controllerNames = values['controller.listener.names'];
  const brokerNames = listeners
    .map((listener) => listener.name)
    .filter((name) => !controllerNames.includes(name));
  if (brokerNames.length === 0) throw new ConfigError('listeners', 'there is no listener for clients');
  const protocols = protocolsByName(values);
  for (const name of brokerNames) {
    const protocol = protocols.get(name) ?? name;
    if (protocol !== 'PLAINTEXT') {
      throw new ConfigError(
        'listener.security.protocol.map',
        `${name} is ${protocol}; only PLAINTEXT is served`,
      );
    }
  }
  for (const listener of parseListeners('advertised.listeners', values['advertised.listeners'])) {
    if (controllerNames.includes(listener.name)) continue;
    if (!brokerNames.includes(listener.name)) {
      throw new ConfigError('advertised.listeners', `${listener.name} is not one of the listeners`);
    }
    if (listener.host === '' || listener.host === '0.0.0.0') {
      throw new ConfigError('advertised.listeners', `${listener.name} needs a host that clients can reach`);
    }
  }
  const between = values['inter.broker.listener.name'];
  if (between !== null && !brokerNames.includes(between)) {
    throw new ConfigError('inter.broker.listener.name', `${between} is not one of the listeners`);
  }
  if (values['seatlog.http.listener'] !== '')
    parseEndpoint('seatlog.http.listener', values['seatlog.http.listener']);
}

function protocolsByName(values: BrokerConfigValues): Map<string, string> {
  const protocols = new Map<string, string>();
  for (const pair of values['listener.security.protocol.map']) {
    const [name, protocol, more] = pair.split(':');
    if (!name || !protocol || more !== undefined) {
      throw new ConfigError('listener.security.protocol.map', `'${pair}' is not of the form NAME:PROTOCOL`);
    }
    protocols.set(name.toUpperCase(), protocol.toUpperCase());
  }
  return protocols;
}

function checkLimits(values: BrokerConfigValues): void {
  if (values['message.max.bytes'] >= values['socket.request.max.bytes']) {
    throw new ConfigError('message.max.bytes', 'must be less than socket.request.max.bytes');
  }
  if (values['group.min.session.timeout.ms'] > values['group.max.session.timeout.ms']) {
    throw new ConfigError('group.min.session.timeout.ms', 'must not exceed group.max.session.timeout.ms');
  }
  if (values['broker.heartbeat.interval.ms'] * 2 > values['broker.session.timeout.ms']) {
    throw new ConfigError(
      'broker.heartbeat.interval.ms',
      'must be at most half of broker.session.timeout.ms',
    );
  }
  if (values['replica.fetch.wait.max.ms'] > values['replica.lag.time.max.ms']) {
    throw new ConfigError('replica.fetch.wait.max.ms', 'must not exceed replica.lag.time.max.ms');
  }
}
