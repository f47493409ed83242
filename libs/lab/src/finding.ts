/** One thing that an experiment is to show, and whether it did. */
export interface Finding {
  /** Of the replication contract: `R11`. */
  readonly rule: string;
  readonly statement: string;
  readonly held: boolean;
  /** As JSON, so that it can be printed beside what was expected. */
  readonly expected: string;
  readonly found: string;
}

/** Expects that something is exactly this. */
export function same(rule: string, statement: string, expected: unknown, found: unknown): Finding {
  const [wanted, got] = [JSON.stringify(expected), JSON.stringify(found) ?? 'nothing'];
  return { rule, statement, held: wanted === got, expected: wanted, found: got };
}

/** Expects that a time lies between two others. */
export function between(
  rule: string,
  statement: string,
  [least, most]: readonly [number, number],
  found: number,
): Finding {
  return {
    rule,
    statement,
    held: found >= least && found <= most,
    expected: `${Math.round(least)} to ${Math.round(most)} ms`,
    found: `${Math.round(found)} ms`,
  };
}

/** Expects that one of the lines matches. */
export function says(rule: string, statement: string, pattern: RegExp, lines: readonly string[]): Finding {
  return {
    rule,
    statement,
    held: lines.some((line) => pattern.test(line)),
    expected: `a line that matches ${pattern.source}`,
    found: JSON.stringify(lines),
  };
}
