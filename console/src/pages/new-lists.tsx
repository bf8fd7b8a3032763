// Makes lists for many users: for whom, by which model or placement, which items, which file.
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import type { Project } from '../../../src/client/index.ts';
import { useProjectModels } from '../api/deployment.ts';
import { type ListJobRequest, listPath } from '../api/list-jobs.ts';
import type { Shape } from '../api/placements.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { checkFilter } from './check-filter.ts';
import { type CallContext, ContextPicker } from './context-picker.tsx';
import { type KnownItems, KnownItemsFields } from './known-items.tsx';
import { type FileChoice, FileFields, ListFields, useListChoice } from './list-fields.tsx';
import { UsersField, useUsersChoice } from './list-users.tsx';
import { ShapeFields } from './placement-shape.tsx';
import { VarietyFields } from './placement-variety.tsx';

export default function NewListsPage() {
  const { projectId = '', queryId = null } = useParams();
  const project = useCall('/get-project', { project_id: projectId });
  const models = useProjectModels(projectId);
  const error = project.error ?? models.error;
  return (
    <Page
      title="Lists for many users"
      crumbs={[
        { name: 'Projects', path: '/projects' },
        { name: project.data?.name ?? 'Project', path: `/projects/${projectId}` },
      ]}
      lead="Recommendations for all users, or many, in one file: for newsletters, push messages and your warehouse."
    >
      {error ? (
        <Problem error={error} onRetry={() => Promise.all([project.refetch(), models.refetch()])} />
      ) : !project.data || !models.data ? (
        <Skeleton height={360} label="Loading models" />
      ) : models.data.length === 0 ? (
        <div className="card">
          <EmptyState
            title="No models yet"
            action={
              <LinkButton needs="/submit-training-job" to={`/start/${projectId}`} look="primary">
                Train a model
              </LinkButton>
            }
          >
            A trained model makes the lists.
          </EmptyState>
        </div>
      ) : (
        <NewLists project={project.data} queryId={queryId} />
      )}
    </Page>
  );
}

function NewLists({ project, queryId }: { project: Project; queryId: string | null }) {
  const { project_id } = project;
  const client = useClient();
  const refresh = useRefresh();
  const [, navigate] = useLocation();
  const users = useUsersChoice(queryId);
  const list = useListChoice(project);
  const [shape, setShape] = useState<Shape>({});
  const [diversity, setDiversity] = useState<Parameters<typeof VarietyFields>[0]['diversity']>();
  const [known, setKnown] = useState<KnownItems>({});
  const [context, setContext] = useState<CallContext>({});
  const [file, setFile] = useState<FileChoice>({ format: 'csv', destination: '' });
  const submit = useAction(async () => {
    const { job_id } = await client.submitRecommendationJob({
      project_id,
      name: list.name,
      users: users.request!,
      ...list.request,
      ...shape,
      ...known,
      diversity,
      ...(Object.keys(context).length > 0 && { context }),
      format: file.format,
      ...(file.destination.trim() && { destination: file.destination.trim() }),
    } as ListJobRequest);
    await refresh('/list-jobs');
    return listPath({ project_id, job_id });
  }, navigate);
  return (
    <ActionForm
      needs="/submit-recommendation-job"
      action={submit}
      submit="Make lists"
      isDisabled={users.request === null || list.request === null || checkFilter(shape.filter_query ?? '') !== null}
    >
      <div className="grid-2">
        <div className="stack">
          <Card title="Users">
            <UsersField projectId={project_id} choice={users} />
          </Card>
          <Card title="Lists">
            <div className="stack">
              <ListFields project={project} choice={list} />
              <ContextPicker project={project} context={context} onChange={setContext} />
            </div>
          </Card>
          <Card title="File">
            <FileFields file={file} onChange={setFile} />
          </Card>
        </div>
        <Card title="Items" lead={list.isPlacement ? 'In addition to what the placement says.' : undefined}>
          <div className="stack">
            <ShapeFields project={project} shape={shape} onChange={setShape} />
            <VarietyFields project={project} diversity={diversity} onChange={setDiversity} />
            <KnownItemsFields project={project} known={known} onChange={setKnown} />
          </div>
        </Card>
      </div>
    </ActionForm>
  );
}
