// The only cache class: bounded in bytes of keys and values, evicting the least recently used entries. Every cache of the
// service uses it, so that /metrics shows the size of each and their sum explains the memory of the process.
import { LRUCache } from 'lru-cache';

/** Overhead of an entry in the tables, besides its key and value. */
const ENTRY_BYTES = 150;

export interface CacheOptions<K, V> {
  /** The name in /metrics. Several caches may share one. */
  name: string;
  maxBytes: number;
  /** Memory of key and value, at least. */
  bytesOf(value: V, key: K): number;
}

export interface CacheFigures {
  name: string;
  entries: number;
  bytes: number;
  maxBytes: number;
}

/** Live caches; some end with their catalog. */
const caches = new Set<WeakRef<BoundedCache<never, never>>>();

export class BoundedCache<K extends {}, V extends {}> {
  readonly name: string;
  readonly maxBytes: number;
  readonly #entries: LRUCache<K, V>;

  constructor({ name, maxBytes, bytesOf }: CacheOptions<K, V>) {
    this.name = name;
    this.maxBytes = Math.max(1, maxBytes);
    this.#entries = new LRUCache({
      maxSize: this.maxBytes,
      sizeCalculation: (value, key) => Math.ceil(ENTRY_BYTES + bytesOf(value, key)),
    });
    caches.add(new WeakRef(this as unknown as BoundedCache<never, never>));
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** Like `get`, but does not count as a use. */
  peek(key: K): V | undefined {
    return this.#entries.peek(key);
  }

  /** A value larger than the whole cache is not stored. */
  set(key: K, value: V): void {
    this.#entries.set(key, value);
  }

  /** The value of the key, created and stored if missing. */
  getOrMake(key: K, make: () => V): V {
    let value = this.#entries.get(key);
    if (value === undefined) {
      value = make();
      this.#entries.set(key, value);
    }
    return value;
  }

  /** Called when the size of a value has changed. A value too large for the cache is dropped. */
  grow(key: K, bytes: number): void {
    if (bytes === 0) return;
    const value = this.#entries.peek(key);
    const size = this.#entries.info(key)?.size;
    if (value === undefined || size === undefined) return;
    // The size of an entry is computed only when it is set.
    this.#entries.delete(key);
    this.#entries.set(key, value, { size: size + Math.ceil(bytes) });
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  keys(): Iterable<K> {
    return this.#entries.keys();
  }
}

/** An upper bound of what a text takes in memory. */
export const textBytes = (text: string): number => 2 * text.length + 24;

/** Totals over all caches by name. */
export function cacheFigures(): CacheFigures[] {
  const byName = new Map<string, CacheFigures>();
  for (const reference of caches) {
    const cache = reference.deref();
    if (cache === undefined) {
      caches.delete(reference);
      continue;
    }
    const sum = byName.get(cache.name) ?? { name: cache.name, entries: 0, bytes: 0, maxBytes: 0 };
    sum.entries += cache.size;
    sum.bytes += cache.bytes;
    sum.maxBytes += cache.maxBytes;
    byName.set(cache.name, sum);
  }
  return [...byName.values()];
}
