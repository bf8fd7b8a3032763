// A check of a project's data. The report is kept apart from the job, one per project, so that lists of jobs stay small. What was
// not found by the check before is told to webhooks.

import { plural } from '../../base/plural.ts';
import type { DataHealth } from '../../domain/data-health.ts';
import type { Project } from '../../domain/project.ts';
import { checkData } from '../../insight/health/check-data.ts';
import { datasetOfJob, projectOfJob } from '../../pieces/job-project.ts';
import type { Publication } from '../../store/job-queue.ts';
import type { JobContext } from '../job-handler.ts';

export async function checkHealth(context: JobContext): Promise<Publication> {
  const { job, store, progress, signal, runtime } = context;
  const project = await projectOfJob(store, job);
  const dataset = await datasetOfJob(store, project, 'event');
  const { attribute_schema: itemSchema } = await datasetOfJob(store, project, 'item');
  const before = await store.health.get(job.account_id, job.project_id);
  const report = await checkData({
    store,
    project,
    signal,
    eventShards: dataset.num_shards,
    itemSchema,
    runtime,
    onProgress: (fraction, events) =>
      progress({ fraction, phase: 'check', message: `${plural(events, 'event')} checked.` }),
  });
  signal.throwIfAborted();
  await store.health.save(project, report);
  await tellNews(context, project, { before, report });
  const warnings = report.findings.filter(({ level }) => level === 'warning').length;
  const notes = report.findings.length - warnings;
  const message = `${plural(warnings, 'warning')}, ${plural(notes, 'note')}.`;
  return { result: { events: report.events, warnings, notes, message } };
}

async function tellNews(
  { job, store, runtime }: JobContext,
  { project_id, event_dataset_id }: Project,
  { before, report }: { before: DataHealth | null; report: DataHealth },
): Promise<void> {
  const isWarning = ({ level }: { level: string }) => level === 'warning';
  const known = new Set(before?.findings.filter(isWarning).map(({ code }) => code));
  for (const { code, title, count, fix } of report.findings.filter(isWarning)) {
    if (known.has(code)) continue;
    const data = { project_id, event_dataset_id, code, count, message: title, fix };
    // The subject is equal for other attempts of the same job, so that nothing is announced twice.
    const subject = `${job.job_id}.${code}`;
    await store.webhooks.announce(job.account_id, { event: 'data.warning', subject, data }, runtime.nowMs());
  }
}
