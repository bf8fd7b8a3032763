// The files of a result in the artifact store. Lines of a large result stay in the files of the job's parts, one after the other:
// nobody waits until they are copied into one. Only results that are never written again are kept so.
import { Readable } from 'node:stream';
import { BlobNotFound, type BlobStore } from '../store/blob-store.ts';
import { type ResultFormat, type ResultReference, resultKey, resultPrefix } from './result-link.ts';

/** Largest files of a result that are written again when users in them are deleted. Larger ones are removed. */
export const MAX_REWRITTEN_BYTES = 64 * 1024 * 1024;

/** Ends the key of a part: its number, and how many there are. */
const numbered = (n: number, count: number): string => [n, count].map((one) => String(one).padStart(6, '0')).join('-');

/** `copies`: each puts the file of a part under the key, in the order of parts. */
export async function keepParts(
  reference: ResultReference,
  format: ResultFormat,
  copies: readonly ((key: string) => Promise<void>)[],
): Promise<void> {
  for (const [n, copy] of copies.entries()) {
    await copy(`${resultKey(reference, format)}.${numbered(n, copies.length)}`);
  }
}

/** Throws BlobNotFound. */
export async function readResult(
  blobs: Pick<BlobStore, 'read' | 'list'>,
  reference: ResultReference,
  format: ResultFormat,
): Promise<{ stream: Readable; bytes: number }> {
  const key = resultKey(reference, format);
  try {
    return await blobs.read(key);
  } catch (error) {
    if (!(error instanceof BlobNotFound)) throw error;
    const parts = await Array.fromAsync(blobs.list(`${key}.`));
    // A removal that was interrupted has left some parts.
    const isWhole = parts.length > 0 && parts.every((part, n) => part.key === `${key}.${numbered(n, parts.length)}`);
    if (!isWhole) throw error;
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    const all = async function* () {
      for (const part of parts) yield* (await blobs.read(part.key)).stream;
    };
    return { stream: Readable.from(all(), { objectMode: false }), bytes };
  }
}

export async function removeResult(
  blobs: Pick<BlobStore, 'list' | 'delete'>,
  reference: ResultReference,
): Promise<void> {
  for await (const { key } of blobs.list(resultPrefix(reference))) await blobs.delete(key);
}
