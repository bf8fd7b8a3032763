// "Did you mean …?": the known name nearest to a wrong one, by edit distance; used for request fields, variables and parameters.

/** The nearest known name, or null if none is near enough. */
export function nearestName(wrong: string, known: readonly string[]): string | null {
  if (wrong.length > 64) return null;
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(wrong.length / 3)) + 1;
  for (const name of known) {
    if (Math.abs(name.length - wrong.length) >= bestDistance) continue;
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbors count one each. */
export function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  let twoAgo = new Uint16Array(width);
  let previous = Uint16Array.from({ length: width }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = new Uint16Array(width);
    current[0] = row;
    for (let column = 1; column < width; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, twoAgo[column - 2] + 1);
      }
      current[column] = cost;
    }
    twoAgo = previous;
    previous = current;
  }
  return previous[b.length];
}
