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

export function useDeployment(projectId: string) {
  const models = useProjectModels(projectId);
  const { jobs } = useRecentJobs({ project_id: projectId, job_type: 'DEPLOYMENT' });
  const history = jobs.filter((job) => job.job_status === 'SUCCEED');
  return { models, history, jobs, current: currentDeployment(models.data ?? [], jobs) };
}
