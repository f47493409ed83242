/** The known name that a mistyped one most likely means; null if none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const limit = Math.max(2, Math.floor(name.length / 4));
  let nearest: string | null = null;
  let distance = limit + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= distance) continue;
    const between = editDistance(name, candidate);
    if (between < distance) {
      distance = between;
      nearest = candidate;
    }
  }
  return nearest;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
