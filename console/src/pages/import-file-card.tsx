// One file of an import: kind, column mapping, preview, then progress and skipped rows.
import { Download, X } from 'lucide-react';
import { useState } from 'react';
import type { RecordKind } from '../../../src/import/import-plan.ts';
import type { FailedRow } from '../../../src/import/run-import.ts';
import type { DatasetKind, useDatasets } from '../api/datasets.ts';
import { downloadText } from '../api/download.ts';
import { formatCompact, formatWhole, plural } from '../format.ts';
import {
  columnOf,
  FIELDS_OF,
  type ImportFile,
  KIND_CHOICES,
  kindOf,
  NO_COLUMN,
  previewRecords,
  TS_UNIT_CHOICES,
  withColumn,
} from '../import/import-file.ts';
import { contentText, type FileState, failedRowsCsv, type ImportOutcome } from '../import/import-outcome.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Segments, SelectField, TextField } from '../ui/field.tsx';
import { Progress } from '../ui/progress.tsx';
import { Notice } from '../ui/states.tsx';
import { AttributeTags } from './dataset-records.tsx';

const NEW = 'new';
const PREVIEW_ROWS = 5;

export function ImportFileCard({
  file,
  state,
  datasets,
  onChange,
  onRemove,
}: {
  file: ImportFile;
  state: FileState;
  datasets: ReturnType<typeof useDatasets>;
  onChange: (file: ImportFile) => void;
  onRemove: () => void;
}) {
  const started = state.fraction !== undefined || state.outcome !== undefined;
  return (
    <Card
      title={file.file.name}
      actions={
        !started && (
          <Button look="quiet" size="small" icon aria-label={`Remove ${file.file.name}`} onPress={onRemove}>
            <X size={16} aria-hidden />
          </Button>
        )
      }
    >
      {started ? (
        <Sending file={file} state={state} />
      ) : (
        <Mapping file={file} datasets={datasets} onChange={onChange} />
      )}
    </Card>
  );
}

function Mapping({
  file,
  datasets,
  onChange,
}: {
  file: ImportFile;
  datasets: ReturnType<typeof useDatasets>;
  onChange: (file: ImportFile) => void;
}) {
  const kind = kindOf(file);
  const { options } = file;
  const existing = kind ? datasets[kind.slice(0, -1) as DatasetKind] : [];
  const columnChoices = [
    { value: NO_COLUMN, label: '(none)' },
    ...file.columns.map((column) => ({ value: column, label: column })),
  ];
  return (
    <div className="stack">
      <div className="row">
        <span className="label" id={`kind-${file.id}`}>
          These are
        </span>
        <Segments
          label="Kind of records"
          choices={KIND_CHOICES}
          value={kind ?? ('' as RecordKind)}
          onChange={(next) =>
            onChange({ ...file, datasetId: null, options: { fileName: options.fileName, kind: next } })
          }
        />
      </div>
      {file.planError && (
        <Notice tone="warn">
          <strong>{kind ? 'A column is still missing' : 'What is in this file?'}</strong>
          {kind ? 'Choose its column below.' : 'The column names do not say. Choose users, items or events above.'}
        </Notice>
      )}
      {kind && (
        <>
          <fieldset>
            <legend className="label">Columns</legend>
            <div className="mapping">
              {FIELDS_OF[kind].map(({ field, required }) => (
                <SelectField
                  key={field}
                  label={required ? `${field} (required)` : field}
                  choices={required ? columnChoices.slice(1) : columnChoices}
                  value={columnOf(file, field) ?? (required ? null : NO_COLUMN)}
                  onChange={(choice) => onChange(withColumn(file, field, choice))}
                />
              ))}
              {kind === 'events' && (
                <SelectField
                  label="Times are"
                  choices={TS_UNIT_CHOICES}
                  value={file.plan?.tsUnit ?? options.ts_unit ?? null}
                  onChange={(ts_unit) => onChange({ ...file, options: { ...options, kind, ts_unit } })}
                />
              )}
              {kind === 'events' && !columnOf(file, 'event_type') && (
                <TextField
                  label="Event type of all rows"
                  value={options.event_type ?? 'view'}
                  onChange={(event_type) => onChange({ ...file, options: { ...options, kind, event_type } })}
                />
              )}
            </div>
          </fieldset>
          <div className="mapping">
            <SelectField
              label="Dataset"
              value={file.datasetId ?? NEW}
              onChange={(value) => onChange({ ...file, datasetId: value === NEW ? null : value })}
              choices={[
                { value: NEW, label: 'A new dataset' },
                ...existing.map((dataset) => ({
                  value: dataset.id,
                  label: dataset.name,
                  note: formatCompact(dataset.recordCount),
                })),
              ]}
            />
            {file.datasetId === null && (
              <TextField
                label="Name of the new dataset"
                value={file.newName}
                onChange={(newName) => onChange({ ...file, newName })}
              />
            )}
          </div>
        </>
      )}
      {file.plan && <Preview file={file} />}
    </div>
  );
}

function Preview({ file }: { file: ImportFile }) {
  const plan = file.plan!;
  const idField = plan.kind === 'users' ? 'user_id' : plan.kind === 'items' ? 'item_id' : null;
  const rows = previewRecords(file, PREVIEW_ROWS);
  const text = (record: object | undefined, field: string) =>
    String((record as Record<string, unknown>)?.[field] ?? '');
  return (
    <div className="stack-s">
      <h3>As it will be stored</h3>
      <DataTable
        caption={`First rows of ${file.file.name}`}
        rows={rows}
        keyOf={(row) => String(row.row)}
        columns={[
          { head: 'Row', align: 'number', cell: (row) => row.row },
          ...(idField
            ? [{ head: idField, cell: (row: (typeof rows)[0]) => <code>{text(row.record, idField)}</code> }]
            : ['user_id', 'item_id', 'event_type', 'ts'].map((field) => ({
                head: field,
                cell: (row: (typeof rows)[0]) => (
                  <code>
                    {field === 'ts' && row.record ? timeText(text(row.record, field)) : text(row.record, field)}
                  </code>
                ),
              }))),
          {
            head: 'Attributes',
            wide: true,
            cell: (row) =>
              row.reason ? (
                <span className="field-error">{row.reason}</span>
              ) : (
                <AttributeTags
                  attributes={(row.record as { attributes?: Record<string, unknown> })?.attributes ?? {}}
                />
              ),
          },
        ]}
      />
      {plan.notes.length > 0 && <p className="hint">Guessed: {plan.notes.join('; ')}.</p>}
    </div>
  );
}

function timeText(ts: string): string {
  const ms = Number(ts);
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15
    ? new Date(ms).toISOString().replace('T', ' ').slice(0, 19)
    : ts;
}

function Sending({ file, state }: { file: ImportFile; state: FileState }) {
  const { progress, outcome } = state;
  return (
    <div className="stack">
      <div className="import-progress">
        <Progress
          label={`Import of ${file.file.name}`}
          fraction={outcome ? 1 : (state.fraction ?? 0)}
          note={
            outcome
              ? `Done: ${plural(outcome.read - outcome.failed, 'row')} imported`
              : progress
                ? `${plural(progress.read - progress.failed, 'row')} imported`
                : 'Starting'
          }
        />
      </div>
      {outcome && <Warnings outcome={outcome} />}
      {outcome && outcome.failed > 0 && <FailedRows outcome={outcome} fileName={file.file.name} />}
    </div>
  );
}

const WARNING_WORDS: Record<string, string> = {
  SUSPICIOUS_TIME: 'have a time before 2000 or in the future. Check the unit of the time column.',
  UNKNOWN_ITEM: 'name an item that is new to the dataset and resembles a known one.',
  UNKNOWN_TYPE: 'have an event type that is new to the dataset and resembles a known one.',
};

function Warnings({ outcome }: { outcome: ImportOutcome }) {
  const warnings = Object.entries(outcome.warnings);
  if (warnings.length === 0) return null;
  return (
    <Notice tone="warn">
      <strong>Some rows look wrong</strong>
      {warnings.map(([code, count]) => (
        <span key={code}>
          {formatWhole(count)} of them {WARNING_WORDS[code] ?? code}{' '}
        </span>
      ))}
    </Notice>
  );
}

const FAILED_PAGE_ROWS = 10;

function FailedRows({ outcome, fileName }: { outcome: ImportOutcome; fileName: string }) {
  const [page, setPage] = useState(0);
  const rows = outcome.failedRows;
  const pageCount = Math.ceil(rows.length / FAILED_PAGE_ROWS);
  return (
    <div className="stack-s">
      <Notice tone="warn">
        <strong>
          {plural(outcome.failed, 'row')} {outcome.failed === 1 ? 'was' : 'were'} skipped
        </strong>
        All other rows are stored. Fix these rows and import the file again; rows with the same id are replaced.
      </Notice>
      <DataTable<FailedRow>
        caption={`Skipped rows of ${fileName}`}
        rows={rows.slice(page * FAILED_PAGE_ROWS, (page + 1) * FAILED_PAGE_ROWS)}
        keyOf={(row, index) => `${row.row}-${index}`}
        columns={[
          { head: 'Row', align: 'number', cell: (row) => formatWhole(row.row) },
          { head: 'Reason', cell: (row) => row.message },
          { head: 'Content', wide: true, cell: (row) => <code className="failed-content">{contentText(row)}</code> },
        ]}
      />
      <div className="pager">
        <span>
          Page {page + 1} of {pageCount}
          {rows.length < outcome.failed && `; the first ${formatWhole(rows.length)} are listed`}
        </span>
        <span className="row">
          <Button size="small" isDisabled={page === 0} onPress={() => setPage(page - 1)}>
            Previous
          </Button>
          <Button size="small" isDisabled={page + 1 >= pageCount} onPress={() => setPage(page + 1)}>
            Next
          </Button>
          <Button size="small" onPress={() => downloadText(`${fileName}.failed.csv`, failedRowsCsv(rows), 'text/csv')}>
            <Download size={14} aria-hidden /> CSV
          </Button>
        </span>
      </div>
    </div>
  );
}
