// Files of Spark runs in the artifact store: each run has its own prefix, and histories are kept between runs.
import { type BlobStore, KEPT_HISTORIES_PREFIX, SPARK_PREFIX } from '../../store/blob-store.ts';

interface Run {
  readonly runId: string;
}

export interface KeptHistories {
  /** in the form `dataset/algorithm` */
  readonly name: string;
  /** Whether they may be kept, now that they are written; left out: they may. */
  readonly mayStay?: () => Promise<boolean>;
}

/** Kept histories are written again after this time. So none outlives what it was made of by more. */
const MOST_KEPT_MS = 7 * 86_400_000;

export const prefixOf = ({ runId }: Run): string => `${SPARK_PREFIX}${runId}/`;
export const ownHistories = (run: Run): string => `${prefixOf(run)}histories/`;
export const keptPrefix = ({ name }: KeptHistories): string => `${KEPT_HISTORIES_PREFIX}${name}/`;

/** Removes the files of a run when it ends. */
export function removeRun(run: Run & { readonly blobs: BlobStore }): Promise<void> {
  return deleteAll(run.blobs, prefixOf(run));
}

export async function deleteAll(blobs: Pick<BlobStore, 'list' | 'delete'>, prefix: string): Promise<void> {
  await deleteKeys(blobs, await Array.fromAsync(blobs.list(prefix), ({ key }) => key));
}

/** Deletes the content of a folder before the folder's mark, which Hadoop leaves in S3. */
async function deleteKeys(blobs: Pick<BlobStore, 'delete'>, keys: readonly string[]): Promise<void> {
  for (const key of keys.toSorted().reverse()) await blobs.delete(key);
}

/** Start of the names of marks, which say which kept histories a run uses. */
const KEEPS = 'keeps-';

/** Returns the key of the mark. */
export function markOf(run: Run, { name }: KeptHistories): string {
  return `${prefixOf(run)}${KEEPS}${name.replace('/', '-')}`;
}

export async function isUsedByOthers(blobs: Pick<BlobStore, 'list'>, mark: string): Promise<boolean> {
  const name = mark.split('/').at(-1)!;
  for await (const { key } of blobs.list(SPARK_PREFIX)) if (key !== mark && key.endsWith(`/${name}`)) return true;
  return false;
}

/** Removes what a killed worker left, files of runs that do not run any more, and histories that were kept for long. */
export async function sweepSparkRuns(
  blobs: Pick<BlobStore, 'list' | 'delete'>,
  readRunning: () => Promise<ReadonlySet<string>>,
  nowMs: number,
): Promise<string[]> {
  const found = await Array.fromAsync(blobs.list(SPARK_PREFIX));
  // Read after the list: a run that has files in it and is still running is known by now.
  const running = await readRunning();
  const runIdOf = (key: string) => key.slice(SPARK_PREFIX.length).split('/')[0];
  const [kept = [], runs = []] = [true, false].map((isKept) =>
    found.filter(({ key }) => key.startsWith(KEPT_HISTORIES_PREFIX) === isKept),
  );
  const ended = runs.map(({ key }) => key).filter((key) => !running.has(runIdOf(key)));
  await deleteKeys(blobs, ended);
  // A training may be about to count what is in them: another time.
  if (ended.length === runs.length) {
    const old = kept.filter(({ modifiedMs }) => nowMs - modifiedMs > MOST_KEPT_MS);
    await deleteKeys(
      blobs,
      old.map(({ key }) => key),
    );
  }
  return [...new Set(ended.map(runIdOf))];
}
