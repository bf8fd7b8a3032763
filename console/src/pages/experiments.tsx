// The experiments of a project, running ones first, each with its current result.
import { FlaskConical, Plus } from 'lucide-react';
import { Link } from 'wouter';
import type { Experiment, Project } from '../../../src/client/index.ts';
import { METRICS } from '../api/experiments.ts';
import { useCall } from '../api/use-call.ts';
import { formatAgo } from '../format.ts';
import { Page } from '../shell/page.tsx';
import { ProjectPage } from '../shell/project-page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { Pager, usePages } from '../ui/pager.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';

const LEAD = 'Show variants of a placement to different visitors and see which one works better.';

export default function ExperimentsPage() {
  return (
    <ProjectPage
      title="Experiments"
      lead={LEAD}
      path="/experiments"
      empty={<EmptyState title="No project yet">Experiments compare variants of placements of a project.</EmptyState>}
    >
      {(project, picker) => (
        <Page
          title="Experiments"
          lead={LEAD}
          actions={
            <>
              {picker}
              <LinkButton needs="/create-experiment" to={`/new-experiment/${project.project_id}`} look="primary">
                <Plus size={17} aria-hidden /> New experiment
              </LinkButton>
            </>
          }
        >
          <ProjectExperiments key={project.project_id} project={project} />
        </Page>
      )}
    </ProjectPage>
  );
}

function ProjectExperiments({ project: { project_id } }: { project: Project }) {
  const pages = usePages();
  const listed = useCall(
    '/list-experiments',
    { project_id, page_size: 20, page_token: pages.token },
    { keepPrevious: true },
  );
  if (listed.error) return <Problem error={listed.error} onRetry={() => listed.refetch()} />;
  if (!listed.data) return <Skeleton height={200} label="Loading experiments" />;
  const { experiments } = listed.data;
  if (experiments.length === 0) {
    return (
      <div className="card">
        <EmptyState icon={<FlaskConical size={36} strokeWidth={1.4} aria-hidden />} title="No experiments yet">
          A good first one: give a few percent of the visitors the most popular items. The difference is what your
          recommendations are worth.
        </EmptyState>
      </div>
    );
  }
  const order = experiments.toSorted((a, b) => Number(b.status === 'RUNNING') - Number(a.status === 'RUNNING'));
  return (
    <>
      <ul className="stack">
        {order.map((experiment) => (
          <Entry key={experiment.experiment_id} experiment={experiment} />
        ))}
      </ul>
      <Pager pages={pages} list={listed} />
    </>
  );
}

function Entry({ experiment }: { experiment: Experiment }) {
  const { project_id, experiment_id, name, placement, metric, status, created_ts, decided, promoted } = experiment;
  return (
    <li className="card stack-s">
      <div className="row spread">
        <h2 className="clip">
          <Link href={`/experiments/${project_id}/${experiment_id}`}>{name}</Link>
        </h2>
        <span className={status === 'RUNNING' ? 'tag accent' : 'tag'}>
          {status === 'RUNNING' ? 'running' : promoted ? `stopped, ${promoted} promoted` : 'stopped'}
        </span>
      </div>
      <p className="hint">
        On {placement}, {METRICS.find(({ value }) => value === metric)?.label.toLowerCase()}, started{' '}
        {formatAgo(created_ts)}.
      </p>
      {decided && <p>{decided.sentence}</p>}
    </li>
  );
}
