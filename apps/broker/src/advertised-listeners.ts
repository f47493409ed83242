/** What clients are told to connect to: the advertised listeners, or the bound ones with a host they can reach. */
import type { BrokerConfigValues } from './config/definitions.ts';
import { parseListeners } from './config/listener.ts';
import type { BoundListener } from './network/socket-server.ts';
import type { AdvertisedListener } from './services.ts';

export function advertisedListeners(
  values: BrokerConfigValues,
  bound: readonly BoundListener[],
  hostname: string,
): readonly AdvertisedListener[] {
  const given = parseListeners('advertised.listeners', values['advertised.listeners']);
  const configured = parseListeners('listeners', values.listeners);
  return bound.map(({ name, port }) => {
    const advertised = given.find((listener) => listener.name === name);
    if (advertised !== undefined)
      return { ...advertised, port: advertised.port === 0 ? port : advertised.port };
    const host = configured.find((listener) => listener.name === name)?.host ?? '';
    return { name, host: isEveryInterface(host) ? hostname : host, port };
  });
}

function isEveryInterface(host: string): boolean {
  return host === '' || host === '0.0.0.0' || host === '::';
}
