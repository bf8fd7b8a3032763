// Import: drop files, check how they are read, send them, see which rows were skipped.
import { FileUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { DropZone, FileTrigger, Text } from 'react-aria-components';
import { createDataset, datasetNameFor, estimateRows, shardsFor } from '../../../src/import/import-target.ts';
import { runImport } from '../../../src/import/run-import.ts';
import { upsertBy } from '../../../src/import/upsert-records.ts';
import { LIST_DATASETS, useDatasets } from '../api/datasets.ts';
import { useRefresh } from '../api/use-call.ts';
import { ACCEPTED_FILES, openFile } from '../import/file-table.ts';
import { type ImportFile, nextToSend, withPlan } from '../import/import-file.ts';
import { addBatch, type FileState, NOTHING_IMPORTED } from '../import/import-outcome.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { useAction } from '../ui/action.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { Notice } from '../ui/states.tsx';
import { ImportFileCard } from './import-file-card.tsx';
import { ImportFromS3 } from './import-from-s3.tsx';

const PARALLEL_BATCHES = 4;

export default function ImportPage() {
  const client = useClient();
  const datasets = useDatasets();
  const refresh = useRefresh();
  const [files, setFiles] = useState<ImportFile[]>([]);
  const latest = useRef(files);
  useEffect(() => {
    latest.current = files;
  }, [files]);
  const [states, setStates] = useState<Record<number, FileState>>({});
  const [unreadable, setUnreadable] = useState<string[]>([]);
  const nextId = useRef(0);
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const add = async (chosen: File[]) => {
    setUnreadable([]);
    for (const file of chosen) {
      try {
        const { table, sample } = await openFile(file);
        const id = nextId.current++;
        const added = withPlan({
          id,
          file,
          table,
          sample,
          columns: [...table.columns],
          options: { fileName: file.name },
          datasetId: null,
          newName: datasetNameFor(file.name),
        });
        setFiles((all) => [...all, added]);
      } catch (error) {
        setUnreadable((all) => [...all, `${file.name}: ${(error as Error).message}`]);
      }
    }
  };
  const change = (next: ImportFile) =>
    setFiles((all) => all.map((file) => (file.id === next.id ? withPlan(next) : file)));
  const update = (id: number, state: FileState) => setStates((all) => ({ ...all, [id]: { ...all[id], ...state } }));

  /** Another try sends the file to the same dataset. */
  const createFor = async (file: ImportFile): Promise<string> => {
    const size = { sizeBytes: file.file.size, compressed: /\.(gz|parquet)$/i.test(file.file.name) };
    const numShards = shardsFor(estimateRows(size, file.sample));
    const datasetId = await createDataset(client, { kind: file.plan!.kind, name: file.newName, numShards });
    change({ ...file, datasetId });
    return datasetId;
  };

  const send = async (file: ImportFile, signal: AbortSignal) => {
    const plan = file.plan!;
    const datasetId = file.datasetId ?? (await createFor(file));
    // Opened again because the preview has read part of its stream, and a retry must start from the beginning.
    const opened = await openFile(file.file);
    let outcome = NOTHING_IMPORTED;
    await runImport({
      plan,
      table: opened.table,
      parallel: PARALLEL_BATCHES,
      signal,
      upsert: upsertBy(client, { kind: plan.kind, datasetId, signal }),
      onBatch: (batch) => {
        outcome = addBatch(outcome, batch);
        const fraction = Math.min(0.99, opened.bytesRead() / Math.max(1, file.file.size));
        update(file.id, { progress: outcome, fraction });
      },
    });
    update(file.id, { outcome, progress: outcome, fraction: 1 });
  };

  const importAll = useAction(async () => {
    abort.current = new AbortController();
    const asked = new Set(files.filter(({ id }) => !states[id]?.outcome).map(({ id }) => id));
    for (;;) {
      // A file can be changed or removed until its turn: it is sent as its card shows it then.
      const file = nextToSend(latest.current, asked);
      if (!file) break;
      asked.delete(file.id);
      try {
        update(file.id, { error: undefined, fraction: 0 });
        await send(file, abort.current.signal);
      } catch (error) {
        update(file.id, { error, fraction: undefined });
        throw error;
      } finally {
        await refresh(...LIST_DATASETS);
      }
    }
  });

  const pending = files.filter((file) => !states[file.id]?.outcome);
  const ready = pending.length > 0 && pending.every((file) => file.plan);
  const finished = files.length > 0 && pending.length === 0;
  return (
    <Page
      title="Import files"
      lead="CSV (any separator), JSON Lines, both also gzipped, or Parquet. You see a preview before anything is stored."
      crumbs={[{ name: 'Datasets', path: '/datasets' }]}
    >
      <DropZone
        className="drop-zone"
        onDrop={async (event) => {
          const dropped = event.items.filter((item) => item.kind === 'file');
          await add(await Promise.all(dropped.map((item) => item.getFile())));
        }}
      >
        <FileUp size={32} strokeWidth={1.4} aria-hidden />
        <Text slot="label">Drop files of users, items or events here</Text>
        <FileTrigger allowsMultiple acceptedFileTypes={ACCEPTED_FILES} onSelect={(list) => list && void add([...list])}>
          <Button look={files.length === 0 ? 'primary' : 'plain'}>Choose files</Button>
        </FileTrigger>
      </DropZone>
      {files.length === 0 && <ImportFromS3 />}
      {unreadable.map((text) => (
        <Notice key={text} tone="danger">
          <strong>This file cannot be read</strong>
          {text}
        </Notice>
      ))}
      {files.map((file) => (
        <ImportFileCard
          key={file.id}
          file={file}
          state={states[file.id] ?? {}}
          datasets={datasets}
          onChange={change}
          onRemove={() => setFiles((all) => all.filter((other) => other.id !== file.id))}
        />
      ))}
      {importAll.error !== null && <Problem error={importAll.error} onRetry={importAll.start} />}
      {files.length > 0 && (
        <div className="row end">
          {importAll.isPending && <Button onPress={() => abort.current?.abort()}>Stop</Button>}
          {finished ? (
            <LinkButton to="/start" look="primary">
              Continue to recommendations
            </LinkButton>
          ) : (
            <Button
              needs="/upsert-dataset-items"
              look="primary"
              isPending={importAll.isPending}
              isDisabled={!ready}
              onPress={importAll.start}
            >
              {pending.length === 1 ? 'Import this file' : `Import ${pending.length} files`}
            </Button>
          )}
        </div>
      )}
    </Page>
  );
}
