/**
 * Java's properties text, as `server.properties` is written: `key=value`, `key: value` or `key value`; `#` and `!`
 * begin comments; a backslash at the end of a line continues it; \t \n \r \f \uXXXX and escaped characters.
 * Later lines win. Text without a key is not an error in Java's format either: it is a key with an empty value.
 */
export function parseProperties(text: string): Map<string, string> {
  const properties = new Map<string, string>();
  for (const line of logicalLines(text)) {
    const { key, value } = splitPair(line);
    properties.set(key, value);
  }
  return properties;
}

function endsInContinuation(line: string): boolean {
  const backslashes = /\\+$/.exec(line);
  return backslashes !== null && backslashes[0].length % 2 === 1;
}

/** Comments and blank lines dropped, continued lines joined. A comment is never continued. */
function logicalLines(text: string): string[] {
  const lines: string[] = [];
  let pending: string | null = null;
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const trimmed = raw.replace(/^[ \t\f]+/, '');
    if (pending === null && (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith('!'))) continue;
    const joined: string = (pending ?? '') + trimmed;
    if (endsInContinuation(joined)) {
      pending = joined.slice(0, -1);
    } else {
      lines.push(joined);
      pending = null;
    }
  }
  if (pending !== null) lines.push(pending);
  return lines;
}

function splitPair(line: string): { key: string; value: string } {
  let end = 0;
  while (end < line.length && !/[=:\s]/.test(line.charAt(end))) end += line.charAt(end) === '\\' ? 2 : 1;
  const rest = line.slice(end).replace(/^\s*[=:]?\s*/, '');
  return { key: unescape(line.slice(0, end)), value: unescape(rest).trimEnd() };
}

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

function unescape(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.)|$)/g, (_whole, hex?: string, character?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return character === undefined ? '' : (escapes[character] ?? character);
  });
}
