// Warnings after an upsert of events: item ids and types that are new to the dataset and resemble known ones. Only calls with
// new ids pay for it, with a bounded number of lookups.
import { itemSpellings, similarType } from '../domain/look-alike.ts';
import type { RecordWarningCode } from '../domain/record.ts';
import type { EventStore, FirstSeen, FirstSeenIds } from './event-store.ts';

const MAX_WARNINGS = 10;
const EXAMPLE_ITEMS = 9;
const MAX_KNOWN_TYPES = 1000;

type IdReader = Pick<EventStore, 'internedIds' | 'knownAmong'>;

export interface UnknownId {
  /** row of the batch that was passed to the store */
  row: number;
  code: RecordWarningCode;
  message: string;
}

export async function unknownIds(
  events: IdReader,
  datasetId: string,
  { types, items }: FirstSeen,
): Promise<UnknownId[]> {
  const found = [
    ...(await similarTypes(events, datasetId, types)).map(({ row, id, known }) => ({
      row,
      code: 'UNKNOWN_TYPE' as const,
      message: `The event type "${id}" is new to this dataset. Did you mean "${known}"?`,
    })),
    ...(await similarItems(events, datasetId, items)).map(({ row, id, known }) => ({
      row,
      code: 'UNKNOWN_ITEM' as const,
      message: `The item "${id}" is new to this dataset. Did you mean "${known}"?`,
    })),
  ];
  return found.slice(0, MAX_WARNINGS);
}

interface Similar {
  row: number;
  id: string;
  /** the known id it resembles */
  known: string;
}

async function similarTypes(events: IdReader, datasetId: string, { ids, before }: FirstSeenIds): Promise<Similar[]> {
  if (ids.length === 0) return [];
  const types = await firstIds(events, datasetId, 'type', Math.min(before, MAX_KNOWN_TYPES));
  return ids.flatMap(({ row, id }) => {
    const known = similarType(id, types);
    return known === null ? [] : [{ row, id, known }];
  });
}

async function similarItems(events: IdReader, datasetId: string, { ids, before }: FirstSeenIds): Promise<Similar[]> {
  if (ids.length === 0) return [];
  const examples = await firstIds(events, datasetId, 'item', Math.min(before, EXAMPLE_ITEMS));
  const spellings = ids.map(({ id }) => itemSpellings(id, examples));
  const known = new Set(await events.knownAmong(datasetId, 'item', [...new Set(spellings.flat())], before));
  return ids.flatMap(({ row, id }, n) => {
    const found = spellings[n].find((spelling) => known.has(spelling));
    return found === undefined ? [] : [{ row, id, known: found }];
  });
}

async function firstIds(events: IdReader, datasetId: string, kind: 'item' | 'type', to: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const block of events.internedIds(datasetId, kind, { from: 0, to })) ids.push(...block);
  return ids;
}
