// Follows a submitted job with a progress bar until it ends. Ctrl-C stops following, not the job.
import type { Job, Kindred } from '../client/index.ts';
import type { Speaker } from './command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { progressView } from './progress-view.ts';
import { formatSeconds } from './style.ts';

export interface FollowOptions {
  label: string;
  speaker: Speaker;
  signal: AbortSignal;
}

export async function followJob(
  kindred: Kindred,
  job: { project_id: string; job_id: string },
  { label, speaker, signal }: FollowOptions,
): Promise<Job> {
  const view = progressView(label, process.stderr, speaker.json);
  const startedMs = Date.now();
  let lastNote = '';
  let lastFraction = 0;
  const beat = setInterval(() => view.update(lastFraction, lastNote), 1000);
  try {
    const done = await kindred.waitForJob(job, {
      signal,
      onProgress(progress, { job_status, retry_count }) {
        const retries = retry_count > 0 ? ` (retry ${retry_count})` : '';
        lastFraction = progress?.fraction ?? 0;
        const what = job_status === 'PENDING' ? 'waiting for a worker' : progress?.message || progress?.phase || '';
        lastNote = `${what}${retries}`;
        view.update(lastFraction, lastNote);
      },
    });
    view.end(1, `done in ${formatSeconds(Date.now() - startedMs)}`);
    return done;
  } catch (error) {
    if (signal.aborted) {
      view.end(lastFraction, 'stopped following');
      const message = `job ${job.job_id} keeps running. See it with: kindred jobs ${job.job_id}`;
      throw new CommandError(message, EXIT.INTERRUPTED);
    }
    view.end(lastFraction, 'stopped');
    throw error;
  } finally {
    clearInterval(beat);
  }
}
