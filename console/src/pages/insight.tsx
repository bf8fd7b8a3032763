// Insight: how popular an attribute value is, which users prefer it, and which groups users form. Each question is a job.
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Job, Model, Project } from '../../../src/client/index.ts';
import { useProjectModels } from '../api/deployment.ts';
import { useProjectChoice } from '../api/project-choice.ts';
import { useRecentJobs } from '../api/use-jobs.ts';
import { formatAgo } from '../format.ts';
import { Page } from '../shell/page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Segments, SelectField } from '../ui/field.tsx';
import { JOB_TYPE_NAMES, JobResultLine, JobStatusTag } from '../ui/job-view.tsx';
import { Problem } from '../ui/problem.tsx';
import { ProjectPicker } from '../ui/project-picker.tsx';
import { useShowMore } from '../ui/show-more.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { AskDistribution, AskGroups, AskList } from './insight-questions.tsx';

type Question = 'distribution' | 'list' | 'groups';
const EARLIER_ROWS = 8;

export default function InsightPage() {
  const { projects, project, pick } = useProjectChoice();
  const list = projects.data ?? [];
  const models = useProjectModels(project?.project_id ?? '');
  const [modelId, setModelId] = useState<string | null>(null);
  const all = models.data ?? [];
  const model =
    all.find((candidate) => candidate.model_id === modelId) ?? all.find((candidate) => candidate.deployed) ?? all[0];
  const lead = 'What your users prefer, as a model sees it: how many, who, and in which groups.';
  if (projects.error || models.error) {
    return (
      <Page title="Insight" lead={lead}>
        <Problem error={projects.error ?? models.error} onRetry={() => projects.refetch()} />
      </Page>
    );
  }
  if (!projects.data || (project && !models.data)) {
    return (
      <Page title="Insight" lead={lead}>
        <Skeleton height={360} label="Loading" />
      </Page>
    );
  }
  const picker = project && <ProjectPicker projects={list} project={project} onPick={pick} />;
  if (!project || !model) {
    return (
      <Page title="Insight" lead={lead} actions={picker}>
        <div className="card">
          <EmptyState
            title="Insight needs a trained model"
            action={
              <LinkButton
                needs="/submit-training-job"
                to={project ? `/start/${project.project_id}` : '/'}
                look="primary"
              >
                {project ? 'Train a model' : 'Get started'}
              </LinkButton>
            }
          >
            A trained model answers questions about users. The guided path takes you there.
          </EmptyState>
        </div>
      </Page>
    );
  }
  return (
    <Page title="Insight" lead={lead} actions={picker}>
      <Ask
        key={project.project_id}
        project={project}
        model={model}
        modelPicker={
          <SelectField
            label="Model"
            value={model.model_id}
            onChange={setModelId}
            choices={all.map((candidate) => ({
              value: candidate.model_id,
              label: candidate.name,
              note: candidate.deployed ? 'serving' : undefined,
            }))}
          />
        }
      />
      <Earlier projectId={project.project_id} />
    </Page>
  );
}

function Ask({ project, model, modelPicker }: { project: Project; model: Model; modelPicker: ReactNode }) {
  const [question, setQuestion] = useState<Question>('distribution');
  return (
    <Card title="Ask">
      <div className="stack">
        <Segments
          label="Question"
          value={question}
          onChange={setQuestion}
          choices={[
            { value: 'distribution', label: 'How popular is a value?' },
            { value: 'list', label: 'Which users prefer it?' },
            { value: 'groups', label: 'Which groups are there?' },
          ]}
        />
        <div className="filters">{modelPicker}</div>
        {question === 'distribution' ? (
          <AskDistribution project={project} model={model} />
        ) : question === 'list' ? (
          <AskList project={project} model={model} />
        ) : (
          <AskGroups project={project} model={model} />
        )}
      </div>
    </Card>
  );
}

function Earlier({ projectId }: { projectId: string }) {
  const { jobs, isLoading } = useRecentJobs({ project_id: projectId });
  const asked = jobs.filter((job) => job.job_type === 'QUERYING' || job.job_type === 'CLUSTERING');
  const shown = useShowMore(asked, EARLIER_ROWS);
  return (
    <Card title="Earlier questions" lead="Results are kept for 24 hours.">
      {isLoading ? (
        <Skeleton height={120} label="Loading" />
      ) : asked.length === 0 ? (
        <p className="hint">Nothing yet.</p>
      ) : (
        <>
          <DataTable<Job>
            caption="Earlier questions"
            rows={shown.rows}
            keyOf={(job) => job.job_id}
            columns={[
              {
                head: 'Question',
                cell: (job) => <Link href={`/insight/${job.project_id}/${job.job_id}`}>{job.name}</Link>,
              },
              { head: 'Kind', cell: (job) => JOB_TYPE_NAMES[job.job_type] },
              { head: 'Status', cell: (job) => <JobStatusTag status={job.job_status} /> },
              {
                head: 'Found',
                wide: true,
                cell: (job) => <JobResultLine job={job} />,
              },
              { head: 'Asked', cell: (job) => <span className="nowrap">{formatAgo(job.created_ts)}</span> },
            ]}
          />
          {shown.more}
        </>
      )}
    </Card>
  );
}
