// Recommendation: the list of every user, written line by line, so that only one block of users is in memory.
import { join } from 'node:path';
import { JobFailure } from '../../domain/job.ts';
import type { RecommendationJobData } from '../../domain/recommendation-job.ts';
import { AppError } from '../../errors.ts';
import { ErasureGuard } from '../../insight/results/erasure-guard.ts';
import { publishLists } from '../../insight/results/publish-lists.ts';
import { linkSecret } from '../../insight/results/result-link.ts';
import { TextFile } from '../../insight/results/text-file.ts';
import type { Publication } from '../../store/job-queue.ts';
import type { JobContext } from '../job-handler.ts';
import { usersOf } from '../recommendation/job-users.ts';
import { UserLists } from '../recommendation/user-lists.ts';

/** Their histories are read at the same time. */
const BLOCK_USERS = 50;
const MAX_RESULT_CHARACTERS = 8 * 1024 ** 3;

export async function recommend(context: JobContext): Promise<Publication> {
  const { job, store, blobs, scratchDir, attemptId, progress } = context;
  const data = job.job_data as RecommendationJobData;
  const erasures = await ErasureGuard.begin(store, job);
  const project = await store.projects.get(job.account_id, job.project_id);
  if (project === null) throw new JobFailure('PROJECT_NOT_FOUND', 'The project was deleted before the job ran.');
  progress({ fraction: 0, phase: 'load', message: 'Loading the model and the item catalog.' });
  const lists = await UserLists.open(context, project, data);
  const users = await usersOf(data.users, project, context);
  const linesFile = join(scratchDir, 'result.jsonl');
  const written = await writeLines(context, { lists, users, path: linesFile, onlyKnown: 'all' in data.users });
  progress({ fraction: 0.95, phase: 'write', message: 'Writing the result.' });
  const published = await publishLists({
    ...{ blobs, scratchDir, resultId: attemptId, format: data.format, attributes: data.attributes },
    ...{ secret: await linkSecret(store.accounts), nowMs: Date.now(), erasures },
  });
  const message = `Lists for ${written} ${written === 1 ? 'user' : 'users'}.`;
  return {
    // The eraser makes the table again from the lines, so it must know what is in it.
    result: { ...published, format: data.format, attributes: data.attributes, total_users: written, message },
    ...(erasures && { erasures: erasures.state }),
  };
}

interface Lines {
  readonly lists: UserLists;
  readonly users: { readonly length: number; at(index: number): string | undefined };
  readonly path: string;
  readonly onlyKnown: boolean;
}

/** Returns how many users got a list. */
async function writeLines({ signal, progress }: JobContext, { lists, users, path, onlyKnown }: Lines): Promise<number> {
  const file = await TextFile.create(path);
  let written = 0;
  let characters = 0;
  try {
    for (let from = 0; from < users.length; from += BLOCK_USERS) {
      signal.throwIfAborted();
      const count = Math.min(BLOCK_USERS, users.length - from);
      const block = Array.from({ length: count }, (_, n) => users.at(from + n)!);
      const lines = await lists.linesOf(block, onlyKnown).catch(asFailure);
      for (const line of lines) characters += line.length;
      if (characters > MAX_RESULT_CHARACTERS) throw tooLarge();
      await file.writeAll(lines);
      written += lines.length;
      const message = `${from + count} of ${users.length} users.`;
      progress({ fraction: 0.05 + 0.9 * ((from + count) / users.length), phase: 'users', message });
    }
  } finally {
    await file.close();
  }
  return written;
}

/** A filter that does not fit a user's attributes fails for every attempt. */
function asFailure(error: unknown): never {
  if (error instanceof AppError && error.code === 'INVALID_FILTER') throw new JobFailure(error.code, error.message);
  throw error;
}

function tooLarge(): JobFailure {
  const message = 'The result would be larger than 8 GiB. Request fewer items, attributes or users per job.';
  return new JobFailure('RESULT_TOO_LARGE', message);
}
