// Earlier deployments of a project, and rolling back to one.
import { Undo2 } from 'lucide-react';
import type { Job, Model } from '../../../src/client/index.ts';
import type { CurrentDeployment } from '../api/current-deployment.ts';
import { formatDateTime } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { useShowMore } from '../ui/show-more.tsx';

const SHOWN_ROWS = 10;

export function DeploymentHistory({
  history,
  current,
  models,
  onRollBack,
}: {
  history: Job[];
  current: CurrentDeployment | null;
  models: Model[];
  onRollBack: (generatorId: string, rankerId?: string) => void;
}) {
  const shown = useShowMore(history, SHOWN_ROWS);
  const nameOf = (id: unknown) => models.find((model) => model.model_id === id)?.name;
  const columns: Column<Job>[] = [
    { head: 'Deployed', cell: (job) => formatDateTime(job.finished_ts ?? job.created_ts) },
    { head: 'Generator', cell: (job) => nameOf(job.job_data.generator_model_id) ?? 'deleted model' },
    {
      head: 'Ranker',
      cell: (job) =>
        job.job_data.ranker_model_id ? (nameOf(job.job_data.ranker_model_id) ?? 'deleted model') : 'none',
    },
    {
      head: 'Actions',
      headHidden: true,
      cell: (job) =>
        job.job_id === current?.job?.job_id ? (
          <span className="tag accent">serving</span>
        ) : nameOf(job.job_data.generator_model_id) ? (
          <Button
            needs="/submit-deployment-job"
            size="small"
            onPress={() =>
              onRollBack(
                String(job.job_data.generator_model_id),
                nameOf(job.job_data.ranker_model_id) ? String(job.job_data.ranker_model_id) : undefined,
              )
            }
            aria-label={`Roll back to ${nameOf(job.job_data.generator_model_id)}`}
          >
            <Undo2 size={14} aria-hidden /> Roll back
          </Button>
        ) : null,
    },
  ];
  return (
    <Card title="Deployments" lead="You can switch models without downtime. There is no need to shut down first.">
      <DataTable caption="Deployments" columns={columns} rows={shown.rows} keyOf={(job) => job.job_id} />
      {shown.more}
    </Card>
  );
}
