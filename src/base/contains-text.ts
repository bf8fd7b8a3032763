// Substring search in time linear in both texts, for any input.
//
// The engine's own search is fast, but its worst case grows with the product of the two lengths. So it is used for short
// substrings, and Knuth–Morris–Pratt for long ones.

/** Units (of text or bytes) up to which a substring counts as short. */
export const SHORT_SUBSTRING = 64;

export function containsText(text: string, substring: string): boolean {
  if (substring.length <= SHORT_SUBSTRING) return text.includes(substring);
  if (substring.length > text.length) return false;
  const wanted = Uint16Array.from({ length: substring.length }, (_, at) => substring.charCodeAt(at));
  const fallback = fallbacks(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && unit !== wanted[matched]) matched = fallback[matched];
    if (unit === wanted[matched] && ++matched === wanted.length) return true;
  }
  return false;
}

/** [n]: how much of `wanted` still matches when its unit n does not: its longest start that also ends wanted[0 … n). */
export function fallbacks(wanted: ArrayLike<number>): Uint32Array {
  const fallback = new Uint32Array(wanted.length + 1);
  for (let at = 1, matched = 0; at < wanted.length; at++) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = fallback[matched];
    if (wanted[at] === wanted[matched]) matched++;
    fallback[at + 1] = matched;
  }
  return fallback;
}
