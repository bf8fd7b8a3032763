// Backups as an attacker would make them: any name, kind and size of entry, with checksums that agree.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const BLOCK = 512;

export interface CraftedEntry {
  name: string;
  content: Buffer;
  /** '0' is a regular file, '1' a hard link, '2' a symbolic link, '5' a folder. */
  type?: string;
  linkName?: string;
  /** What the header claims, if not the content's own. */
  size?: string | Buffer;
}

export function readEntries(file: string): CraftedEntry[] {
  const bytes = readFileSync(file);
  const entries: CraftedEntry[] = [];
  for (let at = 0; bytes[at] !== 0; ) {
    const text = (from: number, to: number) => bytes.toString('latin1', at + from, at + to).replace(/\0.*$/s, '');
    const size = Number.parseInt(text(124, 136), 8);
    const prefix = text(345, 500);
    entries.push({
      name: (prefix && `${prefix}/`) + text(0, 100),
      content: bytes.subarray(at + BLOCK, at + BLOCK + size),
    });
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return entries;
}

/** Leaves the checksums as they are when `entries` has its own. */
export function writeCrafted(file: string, entries: readonly CraftedEntry[]): void {
  const checksums = Object.fromEntries(
    entries.map(({ name, content }) => [name, createHash('sha256').update(content).digest('hex')]),
  );
  const last = { name: 'checksums.json', content: Buffer.from(JSON.stringify(checksums)) };
  const all = entries.some(({ name }) => name === last.name) ? entries : [...entries, last];
  writeFileSync(file, Buffer.concat([...all.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]));
}

function blocksOf({ name, content, type = '0', linkName = '', size }: CraftedEntry): Buffer[] {
  const head = Buffer.alloc(BLOCK);
  const path = Buffer.from(name, 'latin1');
  path.copy(head, 0, 0, 100);
  head.write('0000600\0', 100);
  if (Buffer.isBuffer(size)) size.copy(head, 124);
  else head.write(size ?? `${content.length.toString(8).padStart(11, '0')}\0`, 124);
  head.write(type, 156);
  head.write(linkName, 157);
  head.write('ustar\x0000', 257);
  const sum = head.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [head, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}
