/**
 * The name under which this machine tells clients to reach it, where a listener is on every interface and nothing is
 * advertised. A name that does not even resolve here helps nobody: then it is `localhost`.
 */
import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';

export async function reachableHostname(): Promise<string> {
  const name = hostname();
  try {
    await lookup(name);
    return name;
  } catch {
    return 'localhost';
  }
}
