// A recording of shim.c, and the folder as it can be after a power loss at any of its places. What was synced is there. Of the rest
// of a file any part may be, each block of 512 bytes on its own; a new, renamed or removed name is certain once its folder was synced.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../../src/base/seeded-random.ts';

export interface Change {
  readonly kind: string;
  readonly inode: string;
  readonly offset: number;
  readonly bytes: Buffer;
  readonly path: string;
  readonly to: string;
}

const BLOCK = 512;

export function readRecording(path: string): Change[] {
  const all = readFileSync(path);
  const changes: Change[] = [];
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf(0x0a, at);
    const [kind, inode, offset, length, file = '', to = ''] = all.toString('utf8', at, end).split(' ');
    const size = kind === 'write' ? Number(length) : 0;
    const bytes = all.subarray(end + 1, end + 1 + size);
    changes.push({ kind, inode, offset: Number(offset), bytes, path: file, to });
    at = end + 1 + size;
  }
  return changes;
}

interface File {
  /** as synced */
  durable: Buffer;
  pending: Change[];
}

/** What of the unsynced changes survives. */
export type Survival = 'nothing' | 'everything' | Random;

/** What was there before the recording; no content for a folder. */
export type Start = readonly { path: string; inode: string; content: Buffer | null }[];

export function startOf(root: string): Start {
  return readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) return { path, inode: FOLDER, content: null };
    return { path, inode: String(statSync(path).ino), content: readFileSync(path) };
  });
}

/** Path → content, or null for a folder. */
export type Folder = ReadonlyMap<string, Buffer | null>;

/** Follows a recording change by change. */
export class Disk {
  readonly #files = new Map<string, File>();
  readonly #folders = new Map<string, string>();
  readonly #durableNames = new Map<string, string>();
  #pendingNames: Change[] = [];

  constructor(start: Start) {
    for (const { path, inode, content } of start) {
      this.#durableNames.set(path, inode);
      if (content !== null) this.#files.set(inode, { durable: content, pending: [] });
    }
  }

  /** Returns whether what a power loss leaves may be another since. */
  apply(change: Change): boolean {
    const { kind, inode, path } = change;
    switch (kind) {
      case 'create':
        if (this.#nameOf(path) === inode) return false;
        this.#files.set(inode, { durable: Buffer.alloc(0), pending: [] });
        this.#pendingNames.push(change);
        return true;
      case 'folder':
        this.#folders.set(inode, path);
        return false;
      case 'mkdir':
      case 'rename':
      case 'remove':
        this.#pendingNames.push(change);
        return true;
      case 'write':
      case 'truncate':
        this.#files.get(inode)?.pending.push(change);
        return true;
      case 'sync': {
        const folder = this.#folders.get(inode);
        return folder === undefined ? this.#sync(inode) : this.#syncFolder(folder);
      }
      default:
        throw new Error(`a recording has no ${kind}`);
    }
  }

  /** The files as they are after a power loss now. */
  after(survival: Survival): Folder {
    const names = new Map(this.#durableNames);
    // The log of a file system keeps the order of names.
    const kept =
      survival === 'nothing' ? 0 : survival === 'everything' ? Infinity : survival.below(this.#pendingNames.length + 1);
    for (const change of this.#pendingNames.slice(0, kept)) rename(names, change);
    const files = new Map<string, Buffer | null>();
    for (const [path, inode] of names) {
      // In memory alone, whatever its name says.
      if (path.endsWith('-shm')) continue;
      files.set(path, inode === FOLDER ? null : this.#content(inode, survival));
    }
    return files;
  }

  #content(inode: string, survival: Survival): Buffer {
    const file = this.#files.get(inode) ?? { durable: Buffer.alloc(0), pending: [] };
    if (survival === 'nothing') return file.durable;
    if (survival === 'everything') return written(file.durable, file.pending);
    const arriving = file.pending.filter(() => survival.chance(0.5)).flatMap((change) => torn(change, survival));
    return written(file.durable, arriving);
  }

  #sync(inode: string): boolean {
    const file = this.#files.get(inode);
    if (!file || file.pending.length === 0) return false;
    file.durable = written(file.durable, file.pending);
    file.pending = [];
    return true;
  }

  /** The names in the folder are certain, in the order in which they came about. */
  #syncFolder(folder: string): boolean {
    const isIn = ({ path, to }: Change) => dirname(path) === folder || (to !== '' && dirname(to) === folder);
    const certain = this.#pendingNames.filter(isIn);
    for (const change of certain) rename(this.#durableNames, change);
    this.#pendingNames = this.#pendingNames.filter((change) => !isIn(change));
    return certain.length > 0;
  }

  #nameOf(path: string): string | undefined {
    const names = new Map(this.#durableNames);
    for (const change of this.#pendingNames) rename(names, change);
    return names.get(path);
  }
}

const FOLDER = 'folder';

/** Replaces what is at `root`. */
export function writeFolder(root: string, files: Folder): void {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  for (const [path, content] of files) {
    mkdirSync(content === null ? path : dirname(path), { recursive: true });
    if (content !== null) writeFileSync(path, content);
  }
}

export function digestOf(files: Folder): string {
  const hash = createHash('sha1');
  for (const [path, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${path}\0${content?.length}\0`).update(content ?? '');
  return hash.digest('hex');
}

function rename(names: Map<string, string>, { kind, inode, path, to }: Change): void {
  if (kind === 'create') names.set(path, inode);
  if (kind === 'mkdir') names.set(path, FOLDER);
  if (kind === 'remove') names.delete(path);
  if (kind === 'rename') {
    const moved = names.get(path);
    names.delete(path);
    if (moved !== undefined) names.set(to, moved);
  }
}

function written(durable: Buffer, changes: readonly Change[]): Buffer {
  let length = durable.length;
  let most = length;
  for (const { kind, offset, bytes } of changes) {
    length = kind === 'truncate' ? offset : Math.max(length, offset + bytes.length);
    most = Math.max(most, length);
  }
  const content = Buffer.alloc(most);
  durable.copy(content);
  length = durable.length;
  for (const { kind, offset, bytes } of changes) {
    if (kind === 'truncate') {
      content.fill(0, Math.min(offset, length), length);
      length = offset;
    } else {
      bytes.copy(content, offset);
      length = Math.max(length, offset + bytes.length);
    }
  }
  return content.subarray(0, length);
}

/** Only some blocks of the change arrive. */
function torn(change: Change, random: Random): Change[] {
  if (change.kind === 'truncate') return [change];
  const { offset, bytes } = change;
  const parts: Change[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, (Math.floor((offset + from) / BLOCK) + 1) * BLOCK - offset);
    if (random.chance(0.7)) parts.push({ ...change, offset: offset + from, bytes: bytes.subarray(from, to) });
    from = to;
  }
  return parts;
}
