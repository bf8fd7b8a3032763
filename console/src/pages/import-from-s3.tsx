// A file in S3: the service reads it itself, as a job of a project. What is left out is guessed; the job's result says what was guessed and
// which rows were skipped.
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { FieldName, RecordKind, TsUnit } from '../../../src/domain/import-job.ts';
import { useProjects } from '../api/use-jobs.ts';
import { FIELDS_OF, KIND_CHOICES, TS_UNIT_CHOICES } from '../import/import-file.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { SelectField, TextField } from '../ui/field.tsx';

const GUESSED = 'guessed';
const KINDS: { value: RecordKind | typeof GUESSED; label: string }[] = [
  { value: GUESSED, label: 'Guess from the columns' },
  ...KIND_CHOICES,
];
const UNITS: { value: TsUnit | typeof GUESSED; label: string }[] = [
  { value: GUESSED, label: 'Guess' },
  ...TS_UNIT_CHOICES,
];

export function ImportFromS3() {
  const projects = useProjects();
  const list = projects.data ?? [];
  return (
    <Card
      title="From S3"
      lead="The service reads the file itself: CSV, JSON Lines or Parquet, up to 64 GiB. The operator allows places with KINDRED_IMPORT_SOURCES."
    >
      {list.length > 0 ? (
        <SourceForm projects={list.map(({ project_id, name }) => ({ value: project_id, label: name }))} />
      ) : (
        projects.data && (
          <p className="hint">
            Such a file goes into a project. <LinkButton to="/projects">Create a project</LinkButton>
          </p>
        )
      )}
    </Card>
  );
}

function SourceForm({ projects }: { projects: { value: string; label: string }[] }) {
  const client = useClient();
  const [, navigate] = useLocation();
  const [projectId, setProjectId] = useState(projects[0].value);
  const [source, setSource] = useState('');
  const [kind, setKind] = useState<RecordKind | typeof GUESSED>(GUESSED);
  const [unit, setUnit] = useState<TsUnit | typeof GUESSED>(GUESSED);
  const [columns, setColumns] = useState<Partial<Record<FieldName, string>>>({});
  const [eventType, setEventType] = useState('');
  const fields = kind === GUESSED ? [] : FIELDS_OF[kind];
  const submit = useAction(
    async () => {
      const map = Object.fromEntries(
        fields.flatMap(({ field }) => (columns[field]?.trim() ? [[field, columns[field].trim()]] : [])),
      );
      const isEvents = kind === 'events';
      const { job_id } = await client.submitImportJob({
        project_id: projectId,
        source: source.trim(),
        ...(kind !== GUESSED && { kind }),
        ...(Object.keys(map).length > 0 && { map }),
        ...(isEvents && unit !== GUESSED && { ts_unit: unit }),
        ...(isEvents && eventType.trim() && { event_type: eventType.trim() }),
      });
      return job_id;
    },
    (jobId) => navigate(`/jobs/${projectId}/${jobId}`),
  );
  return (
    <ActionForm
      action={submit}
      submit="Import from S3"
      needs="/submit-import-job"
      isDisabled={!source.trim().startsWith('s3://')}
    >
      <TextField label="Address" placeholder="s3://bucket/folder/file.parquet" value={source} onChange={setSource} />
      <div className="mapping">
        <SelectField label="Project" choices={projects} value={projectId} onChange={setProjectId} />
        <SelectField label="Rows are" choices={KINDS} value={kind} onChange={setKind} />
        {kind === 'events' && <SelectField label="Times are" choices={UNITS} value={unit} onChange={setUnit} />}
        {kind === 'events' && (
          <TextField label="Event type of all rows" placeholder="view" value={eventType} onChange={setEventType} />
        )}
      </div>
      {fields.length > 0 && (
        <fieldset>
          <legend className="label">Columns (leave empty to guess)</legend>
          <div className="mapping">
            {fields.map(({ field }) => (
              <TextField
                key={field}
                label={field}
                value={columns[field] ?? ''}
                onChange={(column) => setColumns((all) => ({ ...all, [field]: column }))}
              />
            ))}
          </div>
        </fieldset>
      )}
    </ActionForm>
  );
}
