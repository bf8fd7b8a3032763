// The models of a project: quality compared with the popularity baseline, role, and deploying one.
import { Rocket } from 'lucide-react';
import { Link } from 'wouter';
import type { Model } from '../../../src/client/index.ts';
import { areComparable, mainQuestion } from '../../../src/domain/figure-text.ts';
import type { ModelFigures } from '../../../src/domain/model-figures.ts';
import { type CurrentDeployment, roleOf } from '../api/current-deployment.ts';
import { formatAgo, formatDateTime, formatNumber } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { useShowMore } from '../ui/show-more.tsx';
import { Notice } from '../ui/states.tsx';

const SHOWN_ROWS = 10;

export function ModelTable({
  models,
  current,
  projectId,
  onDeploy,
}: {
  models: Model[];
  current: CurrentDeployment | null;
  projectId: string;
  onDeploy: (modelId: string) => void;
}) {
  const shown = useShowMore(models, SHOWN_ROWS);
  const best = Math.max(1e-9, ...models.map((model) => model.metrics?.model.ndcg ?? 0));
  const columns: Column<Model>[] = [
    {
      head: 'Model',
      cell: (model) => (
        <>
          <Link href={`/projects/${projectId}/models/${model.model_id}`}>{model.name}</Link>
          <div className="hint" title={formatDateTime(model.created_ts)}>
            {formatAgo(model.created_ts)}
          </div>
        </>
      ),
    },
    {
      head: 'Quality vs. popularity',
      wide: true,
      cell: (model) =>
        model.metrics ? (
          <>
            <TwinBar model={model.metrics.model.ndcg} baseline={model.metrics.popularity.ndcg} top={best} />
            <div className="hint">
              {mainQuestion(model.metrics as ModelFigures) ?? 'question unknown (trained by 0.1.0)'}
            </div>
          </>
        ) : (
          <span className="hint">Too few events to measure</span>
        ),
    },
    {
      head: 'Recall',
      align: 'number',
      cell: (model) => (model.metrics ? formatNumber(model.metrics.model.recall) : '–'),
    },
    {
      head: 'Coverage',
      align: 'number',
      cell: (model) => (model.metrics ? formatNumber(model.metrics.model.coverage) : '–'),
    },
    {
      head: 'Role',
      cell: (model) => {
        const role = roleOf(model, current);
        return role ? <span className="tag accent">{role}</span> : <span className="hint">–</span>;
      },
    },
    {
      head: 'Actions',
      headHidden: true,
      cell: (model) => (
        <Button
          needs="/submit-deployment-job"
          size="small"
          onPress={() => onDeploy(model.model_id)}
          aria-label={`Deploy ${model.name}`}
        >
          <Rocket size={14} aria-hidden /> Deploy
        </Button>
      ),
    },
  ];
  const figures = models.map((model) => model.metrics as ModelFigures | null);
  return (
    <>
      {!areComparable(figures) && (
        <Notice>These models were measured on different questions. Compare only those with the same question.</Notice>
      )}
      <DataTable caption="Models" columns={columns} rows={shown.rows} keyOf={(model) => model.model_id} />
      {shown.more}
    </>
  );
}

function TwinBar({ model, baseline, top }: { model: number; baseline: number; top: number }) {
  const text = `NDCG ${formatNumber(model)}; popularity ${formatNumber(baseline)}`;
  return (
    <div className="twin-bar" role="img" aria-label={text} title={text}>
      <span className="compare-track">
        <span className="compare-fill strong" style={{ width: `${(model / top) * 100}%` }} />
      </span>
      <span className="numbers small">{formatNumber(model)}</span>
      <span className="compare-track slim">
        <span className="compare-fill" style={{ width: `${Math.min(1, baseline / top) * 100}%` }} />
      </span>
      <span className="numbers small faint">{formatNumber(baseline)}</span>
    </div>
  );
}
