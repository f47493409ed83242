/**
 * How many connections fit into the process's limit of open files, leaving room for logs. Beyond it a connection is
 * closed at once, so that segments can still be opened and connected clients are served (F10).
 */
const LARGEST_RESERVE = 1024;

export function connectionsWithin(openFilesLimit: number | null): number {
  if (openFilesLimit === null) return Number.MAX_SAFE_INTEGER;
  const reserve = Math.min(LARGEST_RESERVE, Math.ceil(openFilesLimit / 2));
  return Math.max(1, openFilesLimit - reserve);
}

/** The soft limit out of the text of `/proc/self/limits`; null if it is unlimited or not to be found. */
export function parseOpenFilesLimit(limits: string): number | null {
  const match = /^Max open files\s+(\d+)/m.exec(limits);
  return match?.[1] === undefined ? null : Number(match[1]);
}
