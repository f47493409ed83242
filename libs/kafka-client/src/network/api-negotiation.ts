/** Which version of an API to speak with a broker. Pure. */
import type { AnyApi } from '@seatlog/kafka-protocol';
import { KafkaClientError } from '../errors.ts';

export interface VersionRangeOfApi {
  readonly apiKey: number;
  readonly minVersion: number;
  readonly maxVersion: number;
}

/** A broker's answer to ApiVersions. */
export class BrokerVersions {
  readonly #ranges: ReadonlyMap<number, VersionRangeOfApi>;

  constructor(ranges: readonly VersionRangeOfApi[]) {
    this.#ranges = new Map(ranges.map((range) => [range.apiKey, range]));
  }

  /** The highest version that both sides speak, at most `cap`; null if there is none. */
  choose(api: AnyApi, cap: number = api.maxVersion): number | null {
    const range = this.#ranges.get(api.key);
    if (range === undefined) return null;
    const version = Math.min(api.maxVersion, range.maxVersion, cap);
    return version < Math.max(api.minVersion, range.minVersion) ? null : version;
  }

  require(api: AnyApi, cap: number = api.maxVersion): number {
    const version = this.choose(api, cap);
    if (version !== null) return version;
    const range = this.#ranges.get(api.key);
    const offered =
      range === undefined ? 'not at all' : `in versions ${range.minVersion}-${range.maxVersion}`;
    throw new KafkaClientError(
      'API_NOT_SUPPORTED',
      `the broker speaks ${api.name} ${offered}, this client ${api.minVersion}-${Math.min(api.maxVersion, cap)}`,
      { retriable: false, hint: 'use a broker that speaks this API in one of these versions' },
    );
  }
}
