// Reads the data of an export job in blocks: records and events in the form that upserts take, vectors of a model,
// reports.
import type { DatasetKind } from '../../domain/dataset.ts';
import type { ExportJobData } from '../../domain/export-job.ts';
import type { Project } from '../../domain/project.ts';
import { openModel } from '../../insight/insight-run.ts';
import { userVectors } from '../../insight/user-vectors.ts';
import { datasetOfJob } from '../../pieces/job-project.ts';
import type { PiecePlace } from '../../pieces/piece.ts';
import type { IdRange, RecordStore } from '../../store/record-store.ts';
import type { JobContext } from '../job-handler.ts';
import { reportBlocks } from './report-blocks.ts';
import { shortVector } from './short-vector.ts';

export interface ExportBlocks {
  /** estimated number of objects */
  readonly total: number;
  /** each object becomes one line */
  readonly blocks: AsyncIterable<object[]>;
}

const AT_ONCE = 1000;

export async function exportBlocks(
  context: JobContext & Pick<PiecePlace, 'range' | 'records' | 'opened' | 'plannedMs'>,
  project: Project,
  { what, model_id }: ExportJobData,
): Promise<ExportBlocks> {
  const { store, runtime } = context;
  const sizeOf = (kind: DatasetKind) => datasetOfJob(store, project, kind);
  switch (what) {
    case 'users': {
      const total = context.records?.count ?? (await sizeOf('user')).num_records;
      return { total, blocks: recordBlocks(store.users, project.user_dataset_id, 'user_id', context.records) };
    }
    case 'items': {
      const total = context.records?.count ?? (await sizeOf('item')).num_records;
      return { total, blocks: recordBlocks(store.items, project.item_dataset_id, 'item_id', context.records) };
    }
    case 'events': {
      const { num_records, num_shards } = await sizeOf('event');
      const { from, to } = context.range.shards;
      return { total: Math.ceil((num_records * (to - from)) / num_shards), blocks: eventBlocks(context, project) };
    }
    case 'item_vectors': {
      const { model } = await openModel(context, model_id!);
      return { total: model.warmItemCount, blocks: itemVectorBlocks(model) };
    }
    case 'user_vectors': {
      const opened = await openModel(context, model_id!);
      return { total: context.range.users, blocks: userVectorBlocks(context, opened) };
    }
    case 'report_days':
    case 'report_hours':
      return {
        total: 0,
        blocks: reportBlocks(store, project, { by: what === 'report_days' ? 'day' : 'hour', nowMs: runtime.nowMs() }),
      };
    default:
      return what satisfies never;
  }
}

async function* recordBlocks(
  records: RecordStore,
  datasetId: string,
  idName: string,
  ids: IdRange | undefined,
): AsyncGenerator<object[]> {
  for await (const block of records.scan(datasetId, undefined, ids)) {
    yield block.map(({ id, attributes }) => ({ [idName]: id, attributes }));
  }
}

async function* eventBlocks(
  { store, range }: JobContext & Pick<PiecePlace, 'range'>,
  { event_dataset_id }: Project,
): AsyncGenerator<object[]> {
  for await (const block of store.events.records(event_dataset_id, range.shards)) {
    yield block.map(({ recommendation_id: _, ...event }) => event);
  }
}

type Model = Awaited<ReturnType<typeof openModel>>['model'];

async function* itemVectorBlocks({ itemIds, warmItemCount, vectors }: Model): AsyncGenerator<object[]> {
  const { dimensions, values } = vectors;
  for (let from = 0; from < warmItemCount; from += AT_ONCE) {
    yield Array.from({ length: Math.min(AT_ONCE, warmItemCount - from) }, (_, n) => ({
      item_id: itemIds.at(from + n),
      vector: shortVector(values.subarray((from + n) * dimensions, (from + n + 1) * dimensions)),
    }));
  }
}

async function* userVectorBlocks(...args: Parameters<typeof userVectors>): AsyncGenerator<object[]> {
  for await (const found of userVectors(...args))
    yield found.map(({ userId, vector }) => ({ user_id: userId, vector: shortVector(vector) }));
}
