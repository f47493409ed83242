/** The HTTP port of a node, if its configuration has one. */
import type { BrokerConfig } from '../config/broker-config.ts';
import { parseEndpoint } from '../config/listener.ts';
import type { Logger } from '../logger.ts';
import type { HttpAddress } from '../node-options.ts';
import { type HttpContents, HttpEndpoints } from './http-endpoints.ts';

export interface NodeHttp {
  readonly address: HttpAddress;
  close(): void;
}

/** Null where `seatlog.http.listener` is empty. */
export async function listenHttp(
  { values }: BrokerConfig,
  contents: HttpContents,
  log: Logger,
): Promise<NodeHttp | null> {
  const text = values['seatlog.http.listener'];
  if (text === '') return null;
  const endpoints = new HttpEndpoints(contents, log);
  const address = await endpoints.listen(parseEndpoint('seatlog.http.listener', text));
  return { address, close: () => endpoints.close() };
}
