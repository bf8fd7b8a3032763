// Models and deployments of a project, read from the service.
import { currentDeployment } from './current-deployment.ts';
import { useEntries } from './use-entries.ts';
import { useRecentJobs } from './use-jobs.ts';

export function useProjectModels(projectId: string, pollMs: number | false = false) {
  const request = { project_id: projectId };
  return useEntries('/list-models', request, (client) => client.iterateModels(request), {
    enabled: projectId !== '',
    pollMs,
  });
}

/** `current` is undefined until both lists have arrived: one alone would tell of a project that serves something else, or nothing. */
export function useDeployment(projectId: string) {
  const models = useProjectModels(projectId);
  const { jobs, isLoading } = useRecentJobs({ project_id: projectId, job_type: 'DEPLOYMENT' });
  const history = jobs.filter((job) => job.job_status === 'SUCCEED');
  const current = models.data && !isLoading ? currentDeployment(models.data, jobs) : undefined;
  return { models, history, jobs, current };
}
