// The playground: what is known on the left, lists on the right, and controls above.
import { useEffect, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import type { Project } from '../../../src/client/index.ts';
import { useDeployment } from '../api/deployment.ts';
import { useProjectChoice } from '../api/project-choice.ts';
import { useAttributeStatistics } from '../api/statistics.ts';
import { Page } from '../shell/page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Segments, SelectField, SwitchField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { ProjectPicker } from '../ui/project-picker.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { useSettled } from '../ui/use-settled.ts';
import { checkFilter } from './check-filter.ts';
import { FilterField } from './filter-field.tsx';
import { RelatedLists, UserLists, VisitorLists } from './playground-lists.tsx';
import { TopLists } from './playground-top.tsx';
import type { Objective, SeenChoice } from './use-recommendations.ts';
import { UserPicker } from './user-picker.tsx';

export default function PlaygroundPage() {
  const { projectId, userId } = useParams();
  const { projects, project } = useProjectChoice(projectId);
  const [, navigate] = useLocation();
  const list = projects.data ?? [];
  if (projects.error) {
    return (
      <Page title="Playground">
        <Problem error={projects.error} onRetry={() => projects.refetch()} />
      </Page>
    );
  }
  if (!projects.data) {
    return (
      <Page title="Playground">
        <Skeleton height={400} label="Loading projects" />
      </Page>
    );
  }
  if (!project) {
    return (
      <Page title="Playground">
        <div className="card">
          <EmptyState
            title="No deployed model yet"
            action={
              <LinkButton to="/" look="primary">
                Begin
              </LinkButton>
            }
          >
            The playground needs a project with a deployed model. The guided path takes you there in four steps.
          </EmptyState>
        </div>
      </Page>
    );
  }
  return (
    <Page
      title="Playground"
      lead="What a user, a visitor without an id, a page about an item or everybody would be shown, and why."
      actions={<ProjectPicker projects={list} project={project} onPick={(id) => navigate(`/playground/${id}`)} />}
    >
      <ProjectPlayground
        key={project.project_id}
        project={project}
        userId={userId ? decodeURIComponent(userId) : null}
        onUser={(id) => navigate(`/playground/${project.project_id}/${encodeURIComponent(id)}`)}
      />
    </Page>
  );
}

type Mode = 'user' | 'visitor' | 'items' | 'everybody';

const LIMITS = ['5', '10', '20', '50'] as const;

function ProjectPlayground({
  project,
  userId,
  onUser,
}: {
  project: Project;
  userId: string | null;
  onUser: (userId: string) => void;
}) {
  const { models, current } = useDeployment(project.project_id);
  const attributes = useAttributeStatistics('item', project.item_dataset_id);
  const [mode, setMode] = useState<Mode>('user');
  const [limit, setLimit] = useState<(typeof LIMITS)[number]>('10');
  const [objective, setObjective] = useState<Objective>('discover');
  const [seen, setSeen] = useState<SeenChoice>('auto');
  const [filter, setFilter] = useState('');
  const [compare, setCompare] = useState(false);
  const [modelIds, setModelIds] = useState<[string | null, string | null]>([null, null]);
  const settledFilter = useSettled(filter, 350);
  const problem = checkFilter(filter);
  const validFilter = useLastValid(settledFilter, checkFilter(settledFilter) === null);

  if (models.error) return <Problem error={models.error} onRetry={() => models.refetch()} />;
  if (!models.data || current === undefined) return <Skeleton height={400} label="Loading models" />;
  if (!current) {
    return (
      <div className="card">
        <EmptyState
          title="No model is deployed in this project"
          action={
            <LinkButton needs="/submit-training-job" to={`/start/${project.project_id}`} look="primary">
              {models.data.length === 0 ? 'Train and deploy' : 'Deploy a model'}
            </LinkButton>
          }
        >
          Deploy a model of “{project.name}”, and recommendations appear here.
        </EmptyState>
      </div>
    );
  }
  const modelChoices = models.data.map((model) => ({
    value: model.model_id,
    label: model.model_id === current.generator?.model_id ? `${model.name} (serving)` : model.name,
  }));
  const otherModel = models.data.find((model) => model.model_id !== current.generator?.model_id);
  const rightId = modelIds[1] ?? otherModel?.model_id ?? current.generator?.model_id ?? null;
  const choices = { limit: Number(limit), filter: validFilter, objective, seen };
  const isByModel = mode === 'user' || mode === 'visitor';
  const shown = {
    project,
    choices,
    modelNames: new Map(models.data.map((model) => [model.model_id, model.name])),
    models: compare
      ? ([modelIds[0] ?? current.generator?.model_id ?? null, rightId] as [string | null, string | null])
      : null,
  };
  return (
    <>
      <Card>
        <div className="stack">
          <div className="playground-controls">
            <div className="field">
              <span className="label">Lists for</span>
              <Segments
                label="Lists for"
                value={mode}
                onChange={setMode}
                choices={[
                  { value: 'user', label: 'A user' },
                  { value: 'visitor', label: 'A visitor' },
                  { value: 'items', label: 'Items' },
                  { value: 'everybody', label: 'Everybody' },
                ]}
              />
            </div>
            {mode !== 'visitor' && <UserPicker project={project} userId={userId} onUser={onUser} />}
            <div className="field">
              <span className="label">How many</span>
              <Segments
                label="How many"
                value={limit}
                onChange={setLimit}
                choices={LIMITS.map((value) => ({ value, label: value }))}
              />
            </div>
            {isByModel && (
              <>
                <div className="field">
                  <span className="label">Objective</span>
                  <Segments
                    label="Objective"
                    value={objective}
                    onChange={setObjective}
                    choices={[
                      { value: 'discover', label: 'Discover' },
                      { value: 'any', label: 'Any' },
                      { value: 'auto', label: 'Auto' },
                    ]}
                  />
                </div>
                <div className="field">
                  <span className="label">Items already seen</span>
                  <Segments
                    label="Items already seen"
                    value={seen}
                    onChange={setSeen}
                    choices={[
                      { value: 'auto', label: 'By objective' },
                      { value: 'leave-out', label: 'Leave out' },
                      { value: 'allow', label: 'Allow' },
                    ]}
                  />
                </div>
              </>
            )}
          </div>
          <FilterField
            value={filter}
            onChange={setFilter}
            problem={problem}
            attributes={attributes.data?.attributes ?? []}
          />
          {isByModel && (
            <div className="row">
              <SwitchField isSelected={compare} onChange={setCompare}>
                Two models side by side
              </SwitchField>
            </div>
          )}
          {compare && isByModel && (
            <div className="filters">
              <SelectField
                label="Left"
                value={modelIds[0] ?? current.generator?.model_id ?? null}
                onChange={(id) => setModelIds([id, modelIds[1]])}
                choices={modelChoices}
              />
              <SelectField
                label="Right"
                value={rightId}
                onChange={(id) => setModelIds([modelIds[0], id])}
                choices={modelChoices}
                hint={modelChoices.length < 2 ? 'Train a second model to see a difference.' : undefined}
              />
            </div>
          )}
        </div>
      </Card>
      {mode === 'visitor' ? (
        <VisitorLists {...shown} />
      ) : mode === 'items' ? (
        <RelatedLists {...shown} userId={userId} />
      ) : mode === 'everybody' ? (
        <TopLists {...shown} userId={userId} />
      ) : userId ? (
        <UserLists {...shown} userId={userId} />
      ) : (
        <div className="card">
          <EmptyState title="Pick a user">
            Type a part of a user’s id or attributes above, or pick one at random.
          </EmptyState>
        </div>
      )}
    </>
  );
}

function useLastValid(value: string, isValid: boolean): string {
  const [valid, setValid] = useState('');
  useEffect(() => {
    if (isValid) setValid(value);
  }, [value, isValid]);
  return valid;
}
