/** Ranges of versions as Kafka's documentation writes them: `3+`, `0-7`, `4`. */
export type VersionRange = `${number}+` | `${number}-${number}` | `${number}`;

export interface VersionInterval {
  readonly from: number;
  readonly to: number;
}

export const NO_VERSIONS: VersionInterval = { from: 0, to: -1 };

const RANGE = /^(\d+)(?:(\+)|-(\d+))?$/;

export function parseVersions(range: VersionRange): VersionInterval {
  const match = RANGE.exec(range);
  if (match === null) throw new TypeError(`"${range}" is not a range of versions`);
  const from = Number(match[1]);
  if (match[2] === '+') return { from, to: Number.MAX_SAFE_INTEGER };
  return { from, to: match[3] === undefined ? from : Number(match[3]) };
}

export function includesVersion(interval: VersionInterval, version: number): boolean {
  return version >= interval.from && version <= interval.to;
}
