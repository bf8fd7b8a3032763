// Imports prepared files, starting where an earlier run stopped, and reports the outcome.
import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Project } from '../client/index.ts';
import type { RecordKind } from '../import/import-plan.ts';
import { createDataset } from '../import/import-target.ts';
import { runImport } from '../import/run-import.ts';
import { upsertBy } from '../import/upsert-records.ts';
import type { CommandContext } from './command.ts';
import type { ImportFlags, PreparedFile } from './import-prepare.ts';
import { fingerprintOf, ImportState } from './import-state.ts';
import { datasetOf } from './import-target.ts';
import { progressView } from './progress-view.ts';
import { formatCount } from './style.ts';

export interface ImportedFile {
  file: string;
  kind: RecordKind;
  dataset_id: string;
  rows: number;
  succeeded: number;
  failed: number;
  first_failure?: string;
  /** Rows stored that look like mistakes, by the code of the warning. */
  warnings: Record<string, number>;
  failed_rows_file: string | null;
  seconds: number;
  resumed: boolean;
}

/** The progress of each file is kept until all files are done. If the same command is run again, it skips finished files. */
export async function importInTurn(
  files: readonly PreparedFile[],
  project: Project | null,
  context: CommandContext<ImportFlags>,
): Promise<ImportedFile[]> {
  const bases = basesOf(files, context.flags);
  const done: ImportedFile[] = [];
  for (const [index, file] of files.entries()) {
    done.push(await importFile({ ...file, ...pathsAt(bases[index]) }, project, context));
  }
  for (const base of bases) rmSync(pathsAt(base).statePath, { force: true });
  return done;
}

/** Paths for progress and skipped rows. Files of the same name from several folders get distinct ones. */
function basesOf(files: readonly PreparedFile[], { stateDir }: ImportFlags): string[] {
  const plain = files.map(({ path }) => join(stateDir ?? dirname(path), basename(path)));
  return files.map(({ origin }, index) => {
    const isShared = plain.filter((base) => base === plain[index]).length > 1;
    return isShared ? `${plain[index]}.${fingerprintOf(origin).slice(0, 8)}` : plain[index];
  });
}

const pathsAt = (base: string) => ({ statePath: `${base}.import-state.json`, failedPath: `${base}.failed.jsonl` });

async function importFile(
  file: PreparedFile & ReturnType<typeof pathsAt>,
  project: Project | null,
  context: CommandContext<ImportFlags>,
): Promise<ImportedFile> {
  const { flags, kindred, speaker, signal } = context;
  const { name, origin, version, source, plan, statePath, failedPath } = file;
  const startedMs = Date.now();
  const { notes: _, ...planned } = plan;
  const facts = [origin, source.sizeBytes, version, planned, kindred().baseUrl, project?.project_id];
  const fingerprint = fingerprintOf([...facts, flags.dataset]);
  if (flags.restart) rmSync(statePath, { force: true });
  const interrupted = ImportState.interrupted(statePath, fingerprint);
  signal.throwIfAborted();
  const given = flags.dataset ?? (project ? datasetOf(project, plan.kind) : interrupted);
  const datasetId = given ?? (await createDataset(kindred(), file.wish));
  const state = ImportState.open(statePath, failedPath, fingerprint, datasetId);
  try {
    if (state.finished) speaker.say(`${name} is already imported. Use --restart to import it again.`);
    else await sendRows(file, state, context);
  } finally {
    state.close();
  }
  return {
    file: name,
    kind: plan.kind,
    dataset_id: datasetId,
    ...state.counts,
    failed_rows_file: state.counts.failed > 0 ? failedPath : null,
    seconds: (Date.now() - startedMs) / 1000,
    resumed: state.resumed,
  };
}

async function sendRows(
  { name, source, plan, table, refine }: PreparedFile,
  state: ImportState,
  { flags, kindred, speaker, signal }: CommandContext<ImportFlags>,
): Promise<void> {
  const startedMs = Date.now();
  if (state.resumed) speaker.say(`Resuming ${name} after ${formatCount(state.counts.rows)} rows.`);
  state.save();
  const alreadyDone = state.counts.rows;
  const view = progressView(basename(name), process.stderr, speaker.json);
  const note = () => {
    const { rows, failed } = state.counts;
    const perSecond = ((rows - alreadyDone) * 1000) / Math.max(1, Date.now() - startedMs);
    return `${formatCount(rows)} rows, ${formatCount(perSecond)}/s${failed > 0 ? `, ${formatCount(failed)} skipped` : ''}`;
  };
  try {
    await runImport({
      plan,
      table,
      parallel: flags.parallel,
      signal,
      upsert: upsertBy(kindred(), { kind: plan.kind, datasetId: state.datasetId, signal }),
      isDone: (from, to) => state.isDone(from, to),
      onBatch: (batch) => {
        state.markDone(batch);
        view.update(source.fractionRead(), note());
      },
      refine,
    });
    state.finish();
  } catch (error) {
    view.end(source.fractionRead(), `${note()}; stopped. Run the same command to resume.`);
    throw error;
  } finally {
    state.save();
  }
  view.end(1, note());
}
