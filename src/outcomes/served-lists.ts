// Makes the ids of lists and counts them as served once their response is made: in a journal on this machine before it is sent
// (served-journal.ts), in the store every second. A journal is told to the store under its own name, which counts it once, also when
// the response of the store was lost. Journals that a killed process left behind are told by any process with the same folder: at its
// start, or a while later if the killed one had another host name.
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { HOUR_MS } from '../base/durations.ts';
import { userHash } from '../base/id-hash.ts';
import { type Runtime, systemRuntime, type Timer } from '../base/runtime.ts';
import { fileAgeMs, uniqueName } from '../base/system.ts';
import type { RecommendationOrigin } from '../domain/recommendation.ts';
import { asService } from '../store/on-behalf-of.ts';
import type { Store } from '../store/store.ts';
import type { RecommendationIds, ServedList } from './recommendation-id.ts';
import { type JournalContent, readJournal, removeJournal, ServedJournal } from './served-journal.ts';

const FLUSH_MS = 1000;
/** Number of lines, a few megabytes, after which a journal is reported without waiting. */
const MAX_LINES = 20_000;
/** Memory for the users of experiments that this process has reported. Each is reported once. */
const KNOWN_VISITOR_BYTES = 64 * 1024 * 1024;
/** A journal of another machine in a shared folder is taken over if it was not written to for this long. */
const ABANDONED_MS = HOUR_MS;
/** How often journals of other processes are looked for and the own one is touched: well before it seems abandoned. */
const LOOK_MS = ABANDONED_MS / 4;

/** Events and impressions that name the list of a preview count as those of calls without a placement. */
const NO_PLACEMENT = { placement: null, variant: null, experimentId: null };

export type ServedStore = Pick<Store, 'projects' | 'datasets' | 'outcomes'>;

export interface ServedParts {
  readonly ids: Pick<RecommendationIds, 'make'>;
  readonly store: ServedStore;
  readonly folder: string;
  readonly runtime?: Runtime;
  warn(error: unknown, message: string): void;
}

/** A call that fails before its response is made has served no list. */
export interface ResponseInMaking {
  whenMade(then: () => void): void;
}

interface Closed {
  readonly name: string;
  readonly content: JournalContent;
  remove(): void;
}

export class ServedLists {
  readonly #parts: ServedParts;
  readonly #runtime: Runtime;
  #journal: ServedJournal;
  #name: string;
  /** journals that the store does not know yet */
  readonly #closed: Closed[] = [];
  readonly #knownVisitors = new BoundedCache<string, true>({
    name: 'known_visitors',
    maxBytes: KNOWN_VISITOR_BYTES,
    bytesOf: (_, key) => textBytes(key),
  });
  #timer: Timer | undefined;
  #flushing: Promise<void> | null = null;
  #isBroken = false;
  /** time on the monotonic clock */
  #nextLookMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ServedParts) {
    this.#parts = parts;
    this.#runtime = parts.runtime ?? systemRuntime;
    mkdirSync(parts.folder, { recursive: true, mode: 0o700 });
    [this.#name, this.#journal] = newJournal(parts.folder);
  }

  start(): void {
    const flush = () => {
      this.flush().catch((error) => this.#parts.warn(error, 'could not count served lists yet, trying again'));
    };
    this.#timer = this.#runtime.every(FLUSH_MS, flush);
    flush();
  }

  /** The id of a list, which is counted once the response that has it is made. */
  make(origin: RecommendationOrigin, list: ServedList & { isPreview?: boolean }, response: ResponseInMaking): string {
    const nowMs = this.#runtime.nowMs();
    if (list.isPreview) return this.#parts.ids.make({ ...origin, ...NO_PLACEMENT }, list, nowMs);
    response.whenMade(() => this.count(origin, list, Math.floor(nowMs / HOUR_MS)));
    return this.#parts.ids.make(origin, list, nowMs);
  }

  /** The list may be sent then. The system takes the count in about a microsecond: waiting for others costs more. */
  count(origin: RecommendationOrigin, { items, userId }: ServedList, hour: number): void {
    this.#journal.count(origin, hour, items);
    if (origin.experimentId && userId !== null) this.#visit(origin, hour, userHash(origin.accountId, userId));
    if (this.#journal.size > MAX_LINES && !this.#flushing) this.flush().catch(() => {});
    this.#write();
  }

  /** Resolves when the store knows everything that was served before. */
  async flush(): Promise<void> {
    // A running flush does not include what was served since it began, so another one follows it.
    while (this.#flushing) await this.#flushing;
    this.#flushing = asService(() => this.#flush()).finally(() => {
      this.#flushing = null;
    });
    await this.#flushing;
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.flush().catch((error) => this.#parts.warn(error, 'served lists are counted at the next start'));
    this.#journal.close();
    if (this.#journal.isEmpty) this.#journal.remove();
  }

  #write(): void {
    try {
      this.#journal.write();
    } catch (error) {
      if (!this.#isBroken)
        this.#parts.warn(error, 'served lists are only counted in memory: the journal cannot be written');
      this.#isBroken = true;
    }
  }

  #visit(origin: RecommendationOrigin, hour: number, user: number): void {
    const key = `${origin.experimentId}\n${origin.variant}\n${origin.placement}\n${user}`;
    if (this.#knownVisitors.get(key)) return;
    this.#knownVisitors.set(key, true);
    this.#journal.visit(origin, hour, user);
  }

  #lookForOthers(): void {
    const nowMs = this.#runtime.monotonicMs();
    if (nowMs < this.#nextLookMs) return;
    this.#nextLookMs = nowMs + LOOK_MS;
    const { folder, warn } = this.#parts;
    this.#journal.touch();
    const known = new Set(this.#closed.map(({ name }) => name));
    this.#closed.push(...leftIn(folder, warn).filter(({ name }) => !known.has(name)));
  }

  async #flush(): Promise<void> {
    // While the store is unavailable the current journal continues, so there are never more than two.
    if (this.#closed.length === 0 && !this.#journal.isEmpty) {
      this.#write();
      const [name, journal] = [this.#name, this.#journal];
      [this.#name, this.#journal] = newJournal(this.#parts.folder);
      this.#isBroken = false;
      journal.close();
      this.#closed.push({ name, content: journal.content(), remove: () => journal.remove() });
    }
    this.#lookForOthers();
    while (this.#closed.length > 0) {
      const [{ name, content, remove }] = this.#closed;
      await tell(this.#parts.store, name, content);
      this.#closed.shift();
      remove();
      own.delete(name);
    }
  }
}

/** Reports a journal to the store, with one write per project. */
async function tell(store: ServedStore, name: string, { counts, visitors }: JournalContent): Promise<void> {
  const projectIds = new Set(counts.map(({ origin }) => origin.projectId));
  for (const projectId of projectIds) {
    const isOwn = ({ origin }: { origin: RecommendationOrigin }): boolean => origin.projectId === projectId;
    const { accountId } = counts.find(isOwn)!.origin;
    const project = await store.projects.get(accountId, projectId);
    const dataset = project && (await store.datasets.get(accountId, 'event', project.event_dataset_id));
    if (!dataset) continue;
    const batch = { batchId: `${name}/${projectId}`, counts: counts.filter(isOwn), visitors: visitors.filter(isOwn) };
    await store.outcomes.addServed(dataset, batch);
  }
}

/** Names of the journals of this process. */
const own = new Set<string>();

function newJournal(folder: string): [string, ServedJournal] {
  const name = `${hostname()}.${process.pid}.${uniqueName(16)}`;
  own.add(name);
  return [name, new ServedJournal(join(folder, name))];
}

function leftIn(folder: string, warn: ServedParts['warn']): Closed[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const remove = () => removeJournal(path);
    try {
      if (isInUse(name, path)) return [];
      return [{ name, content: readJournal(path), remove }];
    } catch (error) {
      // Another node reported it to the store and removed it.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      warn(error, `could not read the served lists in ${path}`);
      return [];
    }
  });
}

function isInUse(name: string, path: string): boolean {
  if (own.has(name)) return true;
  const [pid] = name.split('.').slice(-2).map(Number);
  const isHere = name.startsWith(`${hostname()}.`);
  if (!isHere) return fileAgeMs(statSync(path)) < ABANDONED_MS;
  return pid !== process.pid && isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
