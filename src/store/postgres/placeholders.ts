// Portable SQL numbers its placeholders `?`; PostgreSQL wants $1, $2 …. Quoted text is left alone.

import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';

/** Statements come from a fixed set of texts; the bound is for lists of placeholders of many lengths. */
const cache = new BoundedCache<string, string>({
  name: 'statements',
  maxBytes: 4 * 1024 * 1024,
  bytesOf: (text, sql) => textBytes(text) + textBytes(sql),
});

export function numbered(sql: string): string {
  return cache.getOrMake(sql, () => {
    let count = 0;
    return sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g, (part) => (part === '?' ? `$${++count}` : part));
  });
}
