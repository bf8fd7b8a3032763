// A result must not name users who were deleted while its job ran. The job compares how often users were deleted when it began
// and when its files are written; if that changed, those who are gone are taken out of the files before they are put into the store. If
// it changed again meanwhile, which can take minutes, they are put there once more. Who is deleted after that keeps the job from being
// published (store/job-queue.ts, finish), and it runs again.
import { rename } from 'node:fs/promises';
import type { Job } from '../domain/job.ts';
import { isForgotten } from '../store/event-store.ts';
import type { Publication } from '../store/job-queue.ts';
import type { Store } from '../store/store.ts';
import { DELETED_USER } from './named-users.ts';
import {
  NAMING_FORMATS,
  type NamingFormat,
  namedUsers,
  readText,
  type WriteWithout,
  writeWithout,
} from './rename-users.ts';
import type { ResultFormat } from './result-link.ts';

/** Most attempts. Another is needed only if users were deleted during the previous one. */
const MAX_TURNS = 20;
const TOO_FAST = 'Users are deleted faster than the result can be written.';
/** Records read at once: they may be large. */
const RECORD_BLOCK = 100;

type GuardedStore = Pick<Store, 'datasets' | 'projects' | 'users' | 'events'>;

export class ErasureGuard {
  readonly #store: GuardedStore;
  readonly #users: { datasetId: string };
  readonly #events: { datasetId: string };
  #count: number;
  /** Users the job names of whom it has read nothing, and who were unknown when it began: nobody deleted them. */
  #unknown = new Set<string>();

  private constructor(store: GuardedStore, users: string, events: string, count: number) {
    this.#store = store;
    this.#users = { datasetId: users };
    this.#events = { datasetId: events };
    this.#count = count;
  }

  /**
   * Call before the job reads users; null if its project was deleted. `count`: count of deleted users when the job began to read.
   */
  static async begin(
    store: GuardedStore,
    { account_id, project_id }: Pick<Job, 'account_id' | 'project_id'>,
    { count, named = [] }: { count?: number; named?: readonly string[] } = {},
  ): Promise<ErasureGuard | null> {
    const project = await store.projects.get(account_id, project_id);
    if (project === null) return null;
    const { user_dataset_id, event_dataset_id } = project;
    const begun = count ?? (await store.datasets.erasures([user_dataset_id, event_dataset_id]));
    const guard = new ErasureGuard(store, user_dataset_id, event_dataset_id, begun);
    const unknown = await guard.#goneOf(named);
    // Users who were deleted during this look may be among them.
    if (unknown.length > 0 && !(await guard.hasErased())) guard.#unknown = new Set(unknown);
    return guard;
  }

  /** Call with users whose events or records the job has read. */
  addRead(userIds: readonly string[]): void {
    for (const id of userIds) this.#unknown.delete(id);
  }

  /** The state of deletions for which the result is valid. Publishing fails if it has changed. */
  get state(): NonNullable<Publication['erasures']> {
    return { datasetIds: [this.#users.datasetId, this.#events.datasetId], count: this.#count };
  }

  /** Whether users were deleted since it began. */
  async hasErased(): Promise<boolean> {
    return (await this.#store.datasets.erasures(this.state.datasetIds)) !== this.#count;
  }

  /**
   * Removes deleted users from the files, then calls `put`, which makes the other files and stores all. Repeats while more users
   * in the files are deleted. `put` is told whether files were changed, and must leave them where they are.
   */
  async publish<T>(put: (isChanged: boolean) => Promise<T>, ...files: Parameters<ErasureGuard['clean']>): Promise<T> {
    let published = await put(await this.clean(...files));
    for (let turn = 1; await this.clean(...files); turn++) {
      if (turn === MAX_TURNS) throw new Error(TOO_FAST);
      published = await put(true);
    }
    return published;
  }

  /** Removes deleted users from the files, which `write` writes again. Returns whether there were any. */
  async clean(
    pathOf: (format: ResultFormat) => string,
    formats: readonly NamingFormat[] = NAMING_FORMATS,
    write: WriteWithout = writeWithout,
  ): Promise<boolean> {
    let isChanged = false;
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      const count = await this.#store.datasets.erasures(this.state.datasetIds);
      if (count === this.#count) return isChanged;
      const gone = new Set<string>();
      for await (const block of namedUsers(readText(pathOf(formats[0])), formats[0]))
        for (const id of await this.#goneOf(block)) gone.add(id);
      if (gone.size > 0) {
        isChanged = true;
        for (const format of formats) {
          const path = pathOf(format);
          await write(gone, format, readText(path), `${path}.clean`);
          await rename(`${path}.clean`, path);
        }
      }
      this.#count = count;
    }
    throw new Error(TOO_FAST);
  }

  async #goneOf(userIds: readonly string[]): Promise<string[]> {
    const { events, users } = this.#store;
    const ids = [...new Set(userIds)].filter((id) => id !== DELETED_USER && !this.#unknown.has(id));
    if (ids.length === 0) return [];
    const known = await events.knownAmong(this.#events.datasetId, 'user', ids, Number.MAX_SAFE_INTEGER);
    const withEvents = new Set(known.filter((id) => !isForgotten(id)));
    const others = ids.filter((id) => !withEvents.has(id));
    const gone: string[] = [];
    for (let from = 0; from < others.length; from += RECORD_BLOCK) {
      const block = others.slice(from, from + RECORD_BLOCK);
      const records = await users.getMany(this.#users.datasetId, block);
      gone.push(...block.filter((_, n) => records[n] === null));
    }
    return gone;
  }
}
