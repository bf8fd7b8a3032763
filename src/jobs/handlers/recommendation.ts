// Recommendation: the list of every user, made on all cores and written line by line, so that only some batches are in memory.
// Parts make lists of some users; their lines are joined in order.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { plural } from '../../base/plural.ts';
import type { AttributeTypes, RecommendationJobData } from '../../domain/recommendation-job.ts';
import { projectOfJob } from '../../pieces/job-project.ts';
import type { Piece } from '../../pieces/piece.ts';
import { linesOf as textLines } from '../../results/files/lines-of.ts';
import { listTable, writeListsWithout } from '../../results/list-table.ts';
import { publishLines } from '../../results/publish-lines.ts';
import { linkSecret } from '../../results/result-link.ts';
import { deliverTo } from '../deliver-file.ts';
import { type DividedContext, divided } from '../parts/divide.ts';
import { joinedLines } from '../parts/join-lines.ts';
import { columnTypes } from '../recommendation/attribute-types.ts';
import { BODY_FILES, joinBodies, TableBody } from '../recommendation/encoded-rows.ts';
import { markPlacement, type PlacementMark } from '../recommendation/job-placement.ts';
import { batchesOf, type JobBatches } from '../recommendation/job-users.ts';
import type { ListMaker } from '../recommendation/list-protocol.ts';
import { type ListRun, openLists } from '../recommendation/open-lists.ts';
import { bytesDone, ResultLimit } from '../result-limit.ts';

const ADVICE = 'Request fewer items, attributes or users per job.';

interface ListFacts {
  readonly users: number;
  readonly bytes: number;
  readonly attributes: readonly string[];
  /** types of the columns of the table; left out if no table was written */
  readonly types?: AttributeTypes;
  readonly files: readonly string[];
}

const LINES_FILE = 'lists.jsonl';

export const recommend = divided<ListFacts, PlacementMark | null>({
  decide: async ({ job, store }) => {
    const { placement } = job.job_data as RecommendationJobData;
    return placement === null ? null : markPlacement(store, job, placement);
  },
  work: makeLists,
  join: publishLists,
  workShare: 0.95,
  usersOf,
  namesUsers: () => true,
  namedIds: ({ job_data }) => {
    const { users } = job_data as RecommendationJobData;
    return 'user_ids' in users ? users.user_ids : [];
  },
  cutBy: ({ job_data }) => ('all' in (job_data as RecommendationJobData).users ? 'users' : null),
});

async function makeLists(context: ListRun): Promise<ListFacts> {
  const { job, store, folder, opened, progress } = context;
  const data = job.job_data as RecommendationJobData;
  // Fails before making lists if this worker may not write to the destination.
  deliverTo(context, data.destination);
  const project = await projectOfJob(store, job);
  progress({ fraction: 0, phase: 'load', message: 'Loading the model and the item catalog.' });
  const users = await batchesOf(data.users, project, context);
  const lists = await opened.once('lists', () => openLists(context, project, users.usersOfJob));
  const { attributes, types } = lists.columns;
  const written = { users: 0 };
  let bytes: number;
  const table = data.format === 'jsonl' ? null : await TableBody.create(folder);
  try {
    const lines = linesOf(context, lists, users, { written, table });
    bytes = await new ResultLimit(context.config, ADVICE).write(
      lines,
      join(folder, LINES_FILE),
      await bytesDone(context),
    );
    await table?.finish();
  } finally {
    await table?.close();
  }
  return { ...written, bytes, attributes, ...(table && { types }), files: [LINES_FILE, ...(table ? BODY_FILES : [])] };
}

async function* usersOf({ file }: Piece<ListFacts>): AsyncGenerator<string> {
  for await (const line of textLines(createReadStream(await file(LINES_FILE)))) yield JSON.parse(line).user_id;
}

async function publishLists(
  context: DividedContext<unknown>,
  pieces: readonly Piece<ListFacts>[],
): Promise<Record<string, unknown>> {
  const { job, store, blobs, scratchDir, attemptId, progress, erasures, runtime } = context;
  const { format, destination } = job.job_data as RecommendationJobData;
  const { attributes, types: known } = pieces[0].facts;
  const lines = joinedLines(pieces, LINES_FILE);
  new ResultLimit(context.config, ADVICE).check(lines.bytes);
  progress({ fraction: 0, phase: 'write', message: 'Writing the result.' });
  const project = await projectOfJob(store, job);
  // Items may have changed from part to part, and a part may come from a worker of an older version.
  const isSame = ({ facts }: (typeof pieces)[0]) =>
    isDeepStrictEqual([facts.attributes, facts.types], [attributes, known]);
  const isOneTable = known !== undefined && pieces.every(isSame);
  const types = isOneTable ? known : await columnTypes(store, project, format, attributes);
  const columns = { attributes, types };
  const table = listTable(format, columns);
  const joinTable = format !== 'jsonl' &&
    isOneTable && {
      join: (target: string) => joinBodies(format, columns, pieces, target),
    };
  const published = await publishLines({
    deliver: deliverTo(context, destination),
    blobs,
    scratchDir,
    lines,
    resultId: attemptId,
    table: table && { ...table, ...joinTable },
    secret: await linkSecret(store.accounts),
    nowMs: runtime.nowMs(),
    erasures,
    write: writeListsWithout,
  });
  const users = pieces.reduce((sum, { facts }) => sum + facts.users, 0);
  return {
    // If users are deleted, the table is made again from the lines, which needs these facts about its content.
    ...published,
    format,
    attributes,
    total_users: users,
    message: `Lists for ${plural(users, 'user')}.`,
    ...(format === 'parquet' && { attribute_types: types }),
  };
}

async function* linesOf(
  { signal, progress, erasures }: ListRun,
  lists: ListMaker,
  { users, batches }: JobBatches,
  { written, table }: { written: { users: number }; table: TableBody | null },
): AsyncGenerator<Uint8Array> {
  for await (const made of lists.make(batches(lists))) {
    signal.throwIfAborted();
    if (made.rows !== null) await table?.write(made.rows);
    erasures?.addRead(made.found);
    yield made.bytes;
    written.users += made.users;
    const fraction = 0.05 + 0.95 * Math.min(1, written.users / Math.max(1, users));
    progress({
      fraction,
      phase: 'users',
      message: `${written.users.toLocaleString('en-US')} of ${plural(Math.max(users, written.users), 'user')}.`,
    });
  }
}
