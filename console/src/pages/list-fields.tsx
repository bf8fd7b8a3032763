// What makes lists for many users, how long they are, what they are for, and the file they go to.
import { useState } from 'react';
import type { Project } from '../../../src/client/index.ts';
import { MAX_LIST_ITEMS } from '../../../src/domain/list-limits.ts';
import { OBJECTIVES, type Objective } from '../../../src/domain/objective.ts';
import { DEFAULT_JOB_LIST, LIST_FORMATS, type ListFormat } from '../../../src/domain/recommendation-job.ts';
import { useProjectModels } from '../api/deployment.ts';
import { FORMAT_NAMES, type ListJobRequest, OBJECTIVE_NAMES } from '../api/list-jobs.ts';
import { ITEM_KINDS } from '../api/placements.ts';
import { nameAttribute, useAttributeStatistics } from '../api/statistics.ts';
import { minuteInWords } from '../api/submit-jobs.ts';
import { useCall } from '../api/use-call.ts';
import { type Choice, Segments, SelectField, TextField } from '../ui/field.tsx';
import { NameList } from './name-list.tsx';

const DEPLOYED = 'deployed';
const BY_PLACEMENT = 'placement ';
const AS_IT_SAYS = 'placement';

export function useListChoice(project: Project) {
  const { project_id } = project;
  const models = useProjectModels(project_id).data ?? [];
  const placements = useCall('/list-placements', { project_id, page_size: 200 }).data?.placements ?? [];
  const known = useAttributeStatistics('item', project.item_dataset_id).data?.attributes ?? [];
  const naming = nameAttribute(known.map(({ attribute }) => attribute));
  const [chosenMaker, setMaker] = useState<string | null>(null);
  const [chosenLimit, setLimit] = useState<string | null>(null);
  const [chosenObjective, setObjective] = useState<Objective | typeof AS_IT_SAYS | null>(null);
  const [chosenAttributes, setAttributes] = useState<string[] | null>(null);
  const makers: Choice[] = [
    ...(models.some(({ deployed }) => deployed) ? [{ value: DEPLOYED, label: 'The deployed model' }] : []),
    ...placements
      .filter(({ kind }) => !ITEM_KINDS.includes(kind))
      .map(({ name }) => ({ value: BY_PLACEMENT + name, label: name, note: 'placement' })),
    ...models.map(({ model_id, name }) => ({ value: model_id, label: name, note: 'model' })),
  ];
  const maker = chosenMaker ?? makers[0]?.value ?? null;
  const isPlacement = maker?.startsWith(BY_PLACEMENT) ?? false;
  const limit = chosenLimit ?? (isPlacement ? '' : String(DEFAULT_JOB_LIST));
  const objective = chosenObjective ?? (isPlacement ? AS_IT_SAYS : 'auto');
  const attributes = chosenAttributes ?? (naming && !isPlacement ? [naming] : []);
  const items = Number(limit);
  const isLimit = limit.trim() === '' ? isPlacement : Number.isInteger(items) && items >= 1 && items <= MAX_LIST_ITEMS;
  const request: Partial<ListJobRequest> | null =
    maker === null || !isLimit
      ? null
      : {
          ...(isPlacement
            ? { placement: maker.slice(BY_PLACEMENT.length) }
            : maker !== DEPLOYED && { model_id: maker }),
          ...(limit.trim() !== '' && { limit: items }),
          ...(objective !== AS_IT_SAYS && { objective }),
          ...((attributes.length > 0 || !isPlacement) && { attributes }),
        };
  const label = makers.find(({ value }) => value === maker)?.label ?? '';
  return {
    makers,
    maker,
    setMaker,
    isPlacement,
    limit,
    setLimit,
    objective,
    setObjective,
    attributes,
    setAttributes,
    known,
    request,
    isLimit,
    name: `Lists${maker === DEPLOYED ? '' : ` by ${label}`}, ${minuteInWords()}`.slice(0, 128),
  };
}

export function ListFields({ project, choice }: { project: Project; choice: ReturnType<typeof useListChoice> }) {
  const { isPlacement } = choice;
  return (
    <div className="stack">
      <SelectField
        label="Model or placement"
        value={choice.maker}
        onChange={choice.setMaker}
        choices={choice.makers}
        hint={isPlacement ? 'Its rules, boosts, pins and fallbacks apply.' : undefined}
      />
      <TextField
        label="Items per user"
        type="number"
        value={choice.limit}
        onChange={choice.setLimit}
        placeholder={isPlacement ? 'As the placement says' : undefined}
        error={choice.isLimit ? undefined : `Enter a whole number from 1 to ${MAX_LIST_ITEMS}.`}
      />
      <SelectField
        label="Objective"
        value={choice.objective}
        onChange={choice.setObjective}
        choices={[
          ...(isPlacement ? [{ value: AS_IT_SAYS, label: 'As the placement says' } as const] : []),
          ...OBJECTIVES.map((value) => ({ value, label: OBJECTIVE_NAMES[value] })),
        ]}
      />
      <NameList
        key={project.item_dataset_id}
        label="Item attributes in the file"
        add="Add an attribute"
        names={choice.attributes}
        choices={choice.known.map(({ attribute }) => ({ value: attribute, label: attribute }))}
        onChange={choice.setAttributes}
      />
    </div>
  );
}

export interface FileChoice {
  format: ListFormat;
  destination: string;
}

const FORMAT_HINTS: Record<ListFormat, string> = {
  csv: 'One row per user and item: user, rank, item, score and the attributes.',
  jsonl: 'One line per user, with the whole list.',
  parquet: 'One row per user and item, for pandas, DuckDB and warehouses.',
};

export function FileFields({ file, onChange }: { file: FileChoice; onChange: (file: FileChoice) => void }) {
  const address = file.destination.trim();
  return (
    <div className="stack">
      <div className="stack-s">
        <Segments
          label="Format"
          value={file.format}
          onChange={(format) => onChange({ ...file, format })}
          choices={[...LIST_FORMATS].map((value) => ({ value, label: FORMAT_NAMES[value] }))}
        />
        <p className="hint">{FORMAT_HINTS[file.format]}</p>
      </div>
      <details className="disclosure">
        <summary>Write it to S3</summary>
        <TextField
          label="Address"
          value={file.destination}
          onChange={(destination) => onChange({ ...file, destination })}
          placeholder={`s3://bucket/folder/lists.${file.format}`}
          hint="Leave empty to download the file here. Your operator allows places with KINDRED_EXPORT_DESTINATIONS."
          error={address === '' || address.startsWith('s3://') ? undefined : 'Begin with s3://'}
        />
      </details>
    </div>
  );
}
