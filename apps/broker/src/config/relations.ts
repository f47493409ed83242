/** Relations between settings that each are fine by themselves. The first that is broken is refused by name. */
import { ConfigError } from './config-error.ts';
import type { BrokerConfigValues } from './definitions.ts';
import { parseEndpoint, parseListeners } from './listener.ts';
import { checkRoles, nodeRoles } from './node-roles.ts';

export function checkRelations(values: BrokerConfigValues): void {
  checkRoles(values);
  checkListeners(values);
  checkLimits(values);
}

function checkListeners(values: BrokerConfigValues): void {
  const { isBroker, clientListeners, controllerListeners } = nodeRoles(values);
  const brokerNames = clientListeners.map(({ name }) => name);
  const controllerNames = controllerListeners.map(({ name }) => name);
  const protocols = protocolsByName(values);
  for (const name of [...brokerNames, ...controllerNames]) {
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
  if (isBroker && between !== null && !brokerNames.includes(between.toUpperCase())) {
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
