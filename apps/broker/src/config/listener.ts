/** Listeners as Kafka writes them: `NAME://host:port`, an IPv6 host in brackets. */
import { ConfigError } from './config-error.ts';

export interface Listener {
  readonly name: string;
  /** Empty: every interface. */
  readonly host: string;
  readonly port: number;
}

export function parseListener(key: string, text: string): Listener {
  const match = /^([A-Za-z][A-Za-z0-9_]*):\/\/(\[[0-9a-fA-F:.%]*\]|[^:/[\]]*):(\d{1,5})$/.exec(text);
  const [, name, host, port] = match ?? [];
  if (name === undefined || host === undefined || port === undefined || Number(port) > 65_535) {
    throw new ConfigError(key, `'${text}' is not of the form NAME://host:port`);
  }
  return { name: name.toUpperCase(), host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

export function parseListeners(key: string, texts: readonly string[]): readonly Listener[] {
  const listeners = texts.map((text) => parseListener(key, text));
  const seen = new Set<string>();
  for (const listener of listeners) {
    if (seen.has(listener.name))
      throw new ConfigError(key, `the listener name ${listener.name} stands twice`);
    seen.add(listener.name);
  }
  return listeners;
}

/** `host:port` of a plain endpoint (the HTTP listener). */
export function parseEndpoint(key: string, text: string): { readonly host: string; readonly port: number } {
  const { host, port } = parseListener(key, `HTTP://${text}`);
  return { host, port };
}
