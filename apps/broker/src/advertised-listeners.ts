/** What clients are told to connect to: the advertised listeners, or the bound ones with a host they can reach. */
import type { BrokerConfigValues } from './config/definitions.ts';
import { parseListeners } from './config/listener.ts';
import type { BoundListener } from './network/socket-server.ts';
import type { AdvertisedListener } from './services.ts';

/** `hostname` is asked only where it is told: looking it up may take long. */
export async function advertisedListeners(
  values: BrokerConfigValues,
  bound: readonly BoundListener[],
  hostname: () => Promise<string>,
): Promise<readonly AdvertisedListener[]> {
  const given = parseListeners('advertised.listeners', values['advertised.listeners']);
  const configured = parseListeners('listeners', values.listeners);
  const listeners: AdvertisedListener[] = [];
  for (const { name, port } of bound) {
    const advertised = given.find((listener) => listener.name === name);
    const host = configured.find((listener) => listener.name === name)?.host ?? '';
    if (advertised !== undefined) {
      listeners.push({ ...advertised, port: advertised.port === 0 ? port : advertised.port });
    } else listeners.push({ name, host: isEveryInterface(host) ? await hostname() : host, port });
  }
  return listeners;
}

function isEveryInterface(host: string): boolean {
  return host === '' || host === '0.0.0.0' || host === '::';
}
