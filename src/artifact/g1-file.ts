// A G1 model as a model file and back. Loading parses nothing: every array of the model is one section of the file, byte for byte.
import { IdTable } from '../base/id-table.ts';
import { RELATIONS, type Relation } from '../domain/relation.ts';
import { checkModel } from './check-model.ts';
import { ArtifactError, type SectionArray } from './format.ts';
import {
  type Calibration,
  type Expert,
  type G1Model,
  type ItemIds,
  type LiftTables,
  type MomentScoring,
  type Ranker,
  SCORING_NAMES,
  type ScoringName,
  type SparseRows,
} from './g1-model.ts';
import { type Artifact, readArtifact } from './read-artifact.ts';
import { addUsageMaps, readUsageMaps, type UsageMeta } from './usage-section.ts';
import { writeArtifact } from './write-artifact.ts';

/** Files of 0.1.0 are of the first kind: without moments, rankers and objectives. */
const KINDS = ['g1-model', 'g1-model-2'];
const KIND = KINDS[1];

/** The JSON header; arrays are in sections named after their path. */
type ExpertMeta =
  | (Omit<Extract<Expert, { kind: 'item-to-item' }>, 'rows'> & { rowCount: number; columnCount: number })
  | Omit<Extract<Expert, { kind: 'popularity' }>, 'values'>;

type LiftsMeta = Pick<LiftTables, 'binnings' | 'kappas' | 'historyWeights' | 'weight' | 'weightAlone'> & {
  rowCount: number;
  columnCount: number;
};
type RowsMeta = { readonly rowCount: number; readonly columnCount: number };
type MomentMeta = Omit<MomentScoring, 'ranker'> & { readonly ranker: Omit<Ranker, 'bias'> | null };

interface ModelMeta
  extends Omit<
    G1Model,
    'itemIds' | 'experts' | 'vectors' | 'coldUsers' | 'context' | 'calibration' | 'moments' | 'relations' | 'onceItems'
  > {
  readonly knowsOnceItems?: boolean;
  readonly relations?: { readonly [relation in Relation]?: RowsMeta };
  readonly moments?: { readonly [name in ScoringName]?: MomentMeta | null };
  readonly experts: readonly ExpertMeta[];
  readonly vectors: { readonly dimensions: number };
  readonly calibration: Omit<Calibration, 'usage'> & { readonly usage?: UsageMeta };
  readonly coldUsers: LiftsMeta | null;
  readonly context?: LiftsMeta | null;
}

export interface LoadedModel {
  readonly model: G1Model;
  readonly bytes: number;
}

/** Checks the model first: an invalid one is never written. Returns the size of the file. */
export async function saveModel(path: string, model: G1Model): Promise<number> {
  checkModel(model);
  const sections = new Map<string, SectionArray>();
  const { itemIds, experts, vectors, coldUsers, context, calibration, moments, relations, onceItems, ...plain } = model;
  addIds(sections, 'items', itemIds);
  if (onceItems) sections.set('once-items', onceItems);
  sections.set('vectors', vectors.values);
  const meta: ModelMeta = {
    ...plain,
    ...(onceItems && { knowsOnceItems: true }),
    experts: experts.map((expert, n) => addExpert(sections, `expert.${n}`, expert)),
    vectors: { dimensions: vectors.dimensions },
    calibration: {
      ...withoutMaps(calibration),
      ...(calibration.usage && { usage: addUsageMaps(sections, calibration.usage) }),
    },
    coldUsers: coldUsers === null ? null : addLifts(sections, 'cold-users', coldUsers),
    ...(context && { context: addLifts(sections, 'context', context) }),
    ...(moments && {
      moments: eachScoring((name) => addMoment(sections, name, moments[name] ?? null)),
    }),
    ...(relations && { relations: eachRelation(relations, (name, rows) => addRows(sections, name, rows)) }),
  };
  return writeArtifact(path, { kind: KIND, meta: { ...meta }, sections });
}

export async function loadModel(path: string): Promise<LoadedModel> {
  const artifact = await readArtifact(path);
  if (!KINDS.includes(artifact.kind)) {
    throw new ArtifactError(
      'newer',
      `${path} contains a ${artifact.kind}, which this version of Kindred cannot serve.`,
    );
  }
  const { experts, vectors, coldUsers, context, calibration, moments, relations, knowsOnceItems, ...plain } =
    artifact.meta as unknown as ModelMeta;
  const model: G1Model = {
    ...plain,
    ...(knowsOnceItems && { onceItems: artifact.section('once-items', 'u8') }),
    itemIds: readIds(artifact, 'items'),
    experts: experts.map((expert, n) => readExpert(artifact, `expert.${n}`, expert)),
    vectors: { dimensions: vectors.dimensions, values: artifact.section('vectors', 'f32') },
    calibration: {
      ...withoutMaps(calibration),
      usage: calibration.usage ? readUsageMaps(artifact, calibration.usage) : null,
    },
    coldUsers: coldUsers === null ? null : readLifts(artifact, 'cold-users', coldUsers),
    ...(context && { context: readLifts(artifact, 'context', context) }),
    ...(moments && {
      moments: eachScoring((name) => readMoment(artifact, name, moments[name] ?? null)),
    }),
    ...(relations && { relations: eachRelation(relations, (name, shape) => readRows(artifact, name, shape)) }),
  };
  return { model, bytes: artifact.bytes };
}

function withoutMaps({ tau, coldShare }: Omit<Calibration, 'usage'>): Omit<Calibration, 'usage'> {
  return { tau, ...(coldShare !== undefined && { coldShare }) };
}

function addExpert(sections: Map<string, SectionArray>, name: string, expert: Expert): ExpertMeta {
  if (expert.kind === 'item-to-item') {
    const { rows, ...meta } = expert;
    return { ...meta, ...addRows(sections, name, rows) };
  }
  const { values, ...meta } = expert;
  sections.set(`${name}.values`, values);
  return meta;
}

function readExpert(artifact: Artifact, name: string, meta: ExpertMeta): Expert {
  if (meta.kind === 'item-to-item') {
    const { rowCount, columnCount, ...rest } = meta;
    return { ...rest, rows: readRows(artifact, name, { rowCount, columnCount }) };
  }
  return { ...meta, values: artifact.section(`${name}.values`, 'f32') };
}

/** Applies `make` to every relation that exists; `name` is the name of its sections. */
function eachRelation<T, U>(
  relations: { readonly [relation in Relation]?: T },
  make: (name: string, own: T) => U,
): { [relation in Relation]?: U } {
  return Object.fromEntries(
    RELATIONS.flatMap((relation) => {
      const own = relations[relation];
      return own === undefined ? [] : [[relation, make(`relation.${relation}`, own)]];
    }),
  );
}

function eachScoring<T>(make: (name: ScoringName) => T): { [name in ScoringName]: T } {
  return Object.fromEntries(SCORING_NAMES.map((name) => [name, make(name)])) as { [name in ScoringName]: T };
}

function addMoment(sections: Map<string, SectionArray>, name: string, moment: MomentScoring | null): MomentMeta | null {
  if (moment === null || moment.ranker === null) return moment as MomentMeta | null;
  const { bias, ...ranker } = moment.ranker;
  sections.set(`ranker.${name}.bias`, bias);
  return { ...moment, ranker };
}

function readMoment(artifact: Artifact, name: string, meta: MomentMeta | null): MomentScoring | null {
  if (meta === null || meta.ranker === null) return meta as MomentScoring | null;
  return { ...meta, ranker: { ...meta.ranker, bias: artifact.section(`ranker.${name}.bias`, 'f32') } };
}

function addLifts(sections: Map<string, SectionArray>, name: string, tables: LiftTables): LiftsMeta {
  const { binnings, kappas, historyWeights, weight, weightAlone } = tables;
  addIds(sections, `${name}.features`, tables.features);
  sections.set(`${name}.offset`, tables.offsets);
  sections.set(`${name}.popularity`, tables.logPopularity);
  const meta = { binnings, kappas, historyWeights, weight, weightAlone };
  return { ...meta, ...addRows(sections, `${name}.lifts`, tables.lifts) };
}

function readLifts(artifact: Artifact, name: string, meta: LiftsMeta): LiftTables {
  const { binnings, kappas, historyWeights, weight, weightAlone } = meta;
  return {
    binnings,
    kappas,
    ...(historyWeights && { historyWeights }),
    ...(weight !== undefined && { weight }),
    ...(weightAlone !== undefined && { weightAlone }),
    features: readIds(artifact, `${name}.features`),
    offsets: artifact.section(`${name}.offset`, 'f32'),
    logPopularity: artifact.section(`${name}.popularity`, 'f32'),
    lifts: readRows(artifact, `${name}.lifts`, meta),
  };
}

function addRows(
  sections: Map<string, SectionArray>,
  name: string,
  rows: SparseRows,
): { rowCount: number; columnCount: number } {
  const entries = rows.offsets[rows.rowCount];
  sections.set(`${name}.offsets`, rows.offsets.subarray(0, rows.rowCount + 1));
  sections.set(`${name}.columns`, rows.columns.subarray(0, entries));
  sections.set(`${name}.values`, rows.values.subarray(0, entries));
  return { rowCount: rows.rowCount, columnCount: rows.columnCount };
}

function readRows(artifact: Artifact, name: string, shape: { rowCount: number; columnCount: number }): SparseRows {
  return {
    rowCount: shape.rowCount,
    columnCount: shape.columnCount,
    offsets: artifact.section(`${name}.offsets`, 'u32'),
    columns: artifact.section(`${name}.columns`, 'u32'),
    values: artifact.section(`${name}.values`, 'f32'),
  };
}

function addIds(sections: Map<string, SectionArray>, name: string, ids: ItemIds): void {
  const table = ids instanceof IdTable ? ids : IdTable.from(allOf(ids));
  const { bytes, offsets } = table.content();
  sections.set(`${name}.bytes`, bytes);
  sections.set(`${name}.offsets`, offsets);
}

function* allOf(ids: ItemIds): Iterable<string> {
  for (let index = 0; index < ids.length; index++) yield ids.at(index)!;
}

function readIds(artifact: Artifact, name: string): IdTable {
  return new IdTable(artifact.section(`${name}.bytes`, 'u8'), artifact.section(`${name}.offsets`, 'u32'));
}
