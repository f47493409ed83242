/** Findings in words: a line each, and for what did not hold what was expected and found. Pure. */
import type { Finding } from '@seatlog/lab';

export function verdictLines(findings: readonly Finding[]): readonly string[] {
  return findings.flatMap(({ rule, statement, held, expected, found }) => {
    const line = `  ${held ? '✓' : '✗'} ${rule.padEnd(4)} ${statement}`;
    return held
      ? [`${line}: ${found}`]
      : [line, `         expected ${expected}`, `         found    ${found}`];
  });
}

export function verdictSummary(findings: readonly Finding[]): string {
  const held = findings.filter((finding) => finding.held).length;
  return held === findings.length
    ? `All ${held} hold: the outcome is the expected one.`
    : `${held} of ${findings.length} hold: the outcome is NOT the expected one.`;
}
