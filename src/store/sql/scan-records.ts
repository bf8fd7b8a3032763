// Every record of a dataset, in blocks that are bounded by their bytes too: a thousand records may be kilobytes or a gigabyte.
// Before a block is read, the database is asked how large it would be, which it knows without reading it.
import type { Database } from '../database.ts';
import type { StoredRecord } from '../parse-records.ts';
import { ALL_IDS, type IdRange } from '../record-store.ts';

/** Bytes per block, which the API thread parses without a break when it loads a catalog. */
const MAX_BLOCK_BYTES = 1024 * 1024;
const nextOf = (ids: IdRange): string =>
  `FROM record WHERE dataset_no = ? AND id > ? ${ids.upTo === null ? '' : 'AND id <= ? '}ORDER BY id LIMIT ?`;

const DELETED_BLOCK = 1000;

/**
 * Scans in the order of ids: a record that is rewritten meanwhile keeps its position, so none is read twice or missed.
 */
export async function* scanRecords(
  database: Pick<Database, 'all'>,
  datasetNo: number,
  blockSize: number,
  ids: IdRange = ALL_IDS,
): AsyncGenerator<StoredRecord[], void, undefined> {
  const next = nextOf(ids);
  const paramsOf = (after: string, limit: number) => [
    datasetNo,
    after,
    ...(ids.upTo === null ? [] : [ids.upTo]),
    limit,
  ];
  const bytesOf = async (after: string, limit: number): Promise<number> => {
    const [{ bytes }] = await database.all<{ bytes: number | string | null }>(
      `SELECT sum(bytes) AS bytes FROM (SELECT octet_length(attributes) AS bytes ${next}) AS block`,
      paramsOf(after, limit),
    );
    return Number(bytes);
  };
  for (let { after } = ids; ; ) {
    let limit = blockSize;
    while (limit > 1 && (await bytesOf(after, limit)) > MAX_BLOCK_BYTES) limit = Math.ceil(limit / 4);
    const rows = await database.all<StoredRecord>(`SELECT id, attributes ${next}`, paramsOf(after, limit));
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    after = rows[rows.length - 1].id;
  }
}

/** Reads only the index. */
export async function recordCuts(
  database: Pick<Database, 'all'>,
  datasetNo: number,
  every: number,
  most: number,
): Promise<string[]> {
  const cuts: string[] = [];
  while (cuts.length < most) {
    const [found] = await database.all<{ id: string }>(
      'SELECT id FROM record WHERE dataset_no = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?',
      [datasetNo, cuts.at(-1) ?? ALL_IDS.after, every - 1],
    );
    if (!found) break;
    cuts.push(found.id);
  }
  return cuts;
}

/** Scans in the order of deletion: ids deleted or written again meanwhile are not read twice. */
export async function* scanDeletedIds(
  database: Pick<Database, 'all'>,
  datasetNo: number,
): AsyncGenerator<string[], void, undefined> {
  for (let after = 0; ; ) {
    const rows = await database.all<{ id: string; version: number }>(
      'SELECT id, version FROM record_deletion WHERE dataset_no = ? AND version > ? ORDER BY version LIMIT ?',
      [datasetNo, after, DELETED_BLOCK],
    );
    if (rows.length > 0) yield rows.map(({ id }) => id);
    if (rows.length < DELETED_BLOCK) return;
    after = rows[rows.length - 1].version;
  }
}
