// Portable SQL numbers its placeholders `?`; PostgreSQL wants $1, $2 …. Quoted text is left alone.

const MAX_CACHED = 1000;
const cache = new Map<string, string>();

export function numbered(sql: string): string {
  const known = cache.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g, (part) => (part === '?' ? `$${++count}` : part));
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(sql, text);
  return text;
}
