/** Voters of the metadata quorum as Kafka writes them: `id@host:port`, an IPv6 host in brackets. */
import { ConfigError } from './config-error.ts';

export interface VoterAddress {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

const KEY = 'controller.quorum.voters';

export function parseVoters(texts: readonly string[]): readonly VoterAddress[] {
  const voters = texts.map(parseVoter);
  const seen = new Set<number>();
  for (const { id } of voters) {
    if (seen.has(id)) throw new ConfigError(KEY, `node ${id} stands twice`);
    seen.add(id);
  }
  return voters;
}

function parseVoter(text: string): VoterAddress {
  const match = /^(\d{1,10})@(\[[0-9a-fA-F:.%]+\]|[^:/[\]@]+):(\d{1,5})$/.exec(text);
  const [, id, host, port] = match ?? [];
  const isPort = Number(port) >= 1 && Number(port) <= 65_535;
  if (id === undefined || host === undefined || !isPort || Number(id) > 2_147_483_647) {
    throw new ConfigError(KEY, `'${text}' is not of the form id@host:port`);
  }
  return { id: Number(id), host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
