// Takes deleted users out of results whose links still work. A result keeps its link and everything else it says; what is too
// large to be written again at once is removed.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { type ExportFormat, isExported, namesUsers } from '../domain/export-job.ts';
import { type AttributeTypes, isListFormat } from '../domain/recommendation-job.ts';
import { BlobNotFound, type BlobStore, KEPT_HISTORIES_PREFIX } from '../store/blob-store.ts';
import { OneAtATime } from '../store/one-at-a-time.ts';
import type { Store } from '../store/store.ts';
import { exportTable, writeLinesWithout } from './export-table.ts';
import { listTable, writeListsWithout } from './list-table.ts';
import type { LineTable } from './publish-lines.ts';
import {
  NAMING_FORMATS,
  NAMING_LINES,
  type NamingFormat,
  namedUsers,
  type WriteWithout,
  writeWithout,
} from './rename-users.ts';
import { MAX_REWRITTEN_BYTES, removeResult } from './result-files.ts';
import { FILES_LIFETIME_SEC, type ResultFormat, type ResultReference, referenceOf, resultKey } from './result-link.ts';

/** Rows of a table that are encoded at a time, so that calls are served in between. */
const GROUP_ROWS = 1000;

/** Results whose files are removed at the same time. */
const REMOVED_AT_ONCE = 8;

export interface ResultEraserParts {
  store: Pick<Store, 'jobs' | 'exclusively'>;
  blobs: BlobStore;
  /** folder for temporary files, in the data folder */
  scratchDir: string;
  maxBytes?: number;
  runtime?: Runtime;
}

/** The files of one result that may name users. */
interface ResultFiles {
  readonly reference: ResultReference;
  /** rewritten; the first one is searched */
  readonly naming: readonly NamingFormat[];
  readonly write: WriteWithout;
  /** the table to make again from the lines; null if there is none */
  readonly table: LineTable | null;
}

interface Request {
  accountId: string;
  datasetId: string;
  users: Set<string>;
  done: Promise<number>;
}

export class ResultEraser {
  readonly #parts: ResultEraserParts;
  /** Waiting requests by account and dataset. A request that comes while another runs joins the next one. */
  readonly #waiting = new Map<string, Request>();
  /** One request of an account at a time. Accounts do not wait for each other. */
  readonly #turns = new OneAtATime();

  constructor(parts: ResultEraserParts) {
    this.#parts = parts;
  }

  /**
   * Removes users who were deleted from a dataset. When no result names them any more, resolves to the number of results that
   * did.
   */
  erase(accountId: string, datasetId: string, userIds: readonly string[]): Promise<number> {
    const key = `${accountId} ${datasetId}`;
    const waiting = this.#waiting.get(key);
    if (waiting) {
      for (const id of userIds) waiting.users.add(id);
      return waiting.done;
    }
    const request: Request = { accountId, datasetId, users: new Set(userIds), done: Promise.resolve(0) };
    request.done = this.#turns.run(accountId, () => {
      this.#waiting.delete(key);
      return this.#run(request);
    });
    this.#waiting.set(key, request);
    return request.done;
  }

  /** Removes the files of results whose jobs were deleted. After that, no deletion of a user would find them. */
  async remove(results: readonly Record<string, unknown>[]): Promise<void> {
    const references = results.map(publishedAt).filter((reference) => reference !== null);
    for (let from = 0; from < references.length; from += REMOVED_AT_ONCE) {
      await Promise.all(
        references
          .slice(from, from + REMOVED_AT_ONCE)
          // A deletion of users may be writing it again.
          .map((reference) => this.#alone(reference, () => this.#remove(reference))),
      );
    }
  }

  async #run({ accountId, datasetId, users }: Request): Promise<number> {
    const { store, blobs, runtime = systemRuntime } = this.#parts;
    // Kept histories name nobody, but they contain what a deleted user did. A training that counts them now writes its own.
    for await (const { key } of blobs.list(`${KEPT_HISTORIES_PREFIX}${datasetId}/`)) await blobs.delete(key);
    const sinceTs = runtime.nowMs() - FILES_LIFETIME_SEC * 1000;
    await store.jobs.forgetUsers(accountId, datasetId, users);
    const results = await store.jobs.resultsOver(accountId, datasetId, sinceTs);
    let changed = 0;
    for (const result of results) {
      const reference = publishedAt(result);
      const files = filesOf(result);
      if (reference === null || files === null) continue;
      const file: ResultFiles = { reference, ...files };
      // Only one node may rewrite a result at a time: otherwise each would bring back the users that the other removed.
      const isChanged = await this.#alone(reference, () => this.#clean(file, users));
      changed += Number(isChanged);
    }
    return changed;
  }

  #alone<T>({ resultId }: ResultReference, work: () => Promise<T>): Promise<T> {
    return this.#parts.store.exclusively(`result ${resultId}`, work);
  }

  async #clean(files: ResultFiles, users: ReadonlySet<string>): Promise<boolean> {
    const { blobs, maxBytes = MAX_REWRITTEN_BYTES } = this.#parts;
    try {
      let bytes = 0;
      for (const format of files.naming)
        for await (const blob of blobs.list(resultKey(files.reference, format))) bytes += blob.bytes;
      if (bytes > maxBytes) await this.#remove(files.reference);
      else if (await this.#names(files, users)) await this.#rewrite(files, users);
      else return false;
      return true;
    } catch (error) {
      if (!(error instanceof BlobNotFound)) throw error;
      // The files were removed, perhaps not all: a removal may have been interrupted.
      await this.#remove(files.reference);
      return false;
    }
  }

  async #names({ reference, naming }: ResultFiles, users: ReadonlySet<string>): Promise<boolean> {
    const { stream } = await this.#parts.blobs.read(resultKey(reference, naming[0]));
    for await (const block of namedUsers(stream, naming[0])) if (block.some((id) => users.has(id))) return true;
    return false;
  }

  async #rewrite({ reference, naming, write, table }: ResultFiles, users: ReadonlySet<string>): Promise<void> {
    const { blobs, scratchDir } = this.#parts;
    await mkdir(scratchDir, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(scratchDir, 'erase-'));
    try {
      const localOf = (format: ResultFormat) => join(folder, format);
      const formats: ResultFormat[] = [...naming];
      for (const format of naming) {
        const { stream } = await blobs.read(resultKey(reference, format));
        await write(users, format, stream, localOf(format));
      }
      if (table !== null) {
        await table.make(localOf('jsonl'), localOf(table.format));
        formats.push(table.format);
      }
      // The file that is searched comes last: should this be interrupted, the next deletion finds the users again.
      for (const format of formats.toReversed()) await blobs.putFile(resultKey(reference, format), localOf(format));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #remove(reference: ResultReference): Promise<void> {
    return removeResult(this.#parts.blobs, reference);
  }
}

function publishedAt({ download_path }: Record<string, unknown>): ResultReference | null {
  return typeof download_path === 'string' ? referenceOf(download_path) : null;
}

/** Finds the files from the job's published result; null if it names no users. */
function filesOf(result: Record<string, unknown>): Omit<ResultFiles, 'reference'> | null {
  const { what, format, attributes, attribute_types } = result;
  if (isExported(what)) {
    const table = exportTable(what, format as ExportFormat, GROUP_ROWS);
    return namesUsers(what) ? { naming: NAMING_LINES, write: writeLinesWithout, table } : null;
  }
  if (!isListFormat(format)) return { naming: NAMING_FORMATS, write: writeWithout, table: null };
  const types = (attribute_types ?? {}) as AttributeTypes;
  const table = listTable(format, { attributes: attributes as string[], types, groupRows: GROUP_ROWS });
  return { naming: NAMING_LINES, write: writeListsWithout, table };
}
