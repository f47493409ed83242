/** A history as lines of JSON, one for each entry, so that it can be kept and judged again. */
import type { Entry } from './history.ts';

export function formatEntry(entry: Entry): string {
  if (entry.kind === 'repositioning') return JSON.stringify(entry);
  const { kind, process, began, ended, outcome, actions } = entry;
  return JSON.stringify({ kind, process, began, ended, outcome, actions });
}

/** Of a line that `formatEntry` made. An operation that had not ended ends past all others. */
export function parseEntry(line: string): Entry {
  const entry = JSON.parse(line) as Entry & { readonly ended?: number | null };
  return entry.kind === 'operation' ? { ...entry, ended: entry.ended ?? Number.POSITIVE_INFINITY } : entry;
}
