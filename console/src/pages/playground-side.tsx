// The right half of the playground: new items, items to continue and items to have again, or the lists of two models side
// by side. A card's button adds an event.

import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Project, Recommendation } from '../../../src/client/index.ts';
import { plural } from '../format.ts';
import { Card } from '../ui/card.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { ListWarnings } from './list-warnings.tsx';
import { type ItemAction, RecommendationList } from './recommendation-list.tsx';
import { type RecommendationChoices, useRecommendations } from './use-recommendations.ts';

export function PlaygroundSide({
  project,
  choices,
  action,
  actions,
  models,
  modelNames,
}: {
  project: Project;
  choices: RecommendationChoices;
  /** What a card offers. */
  action: ItemAction;
  /** Next to the title of the first list. */
  actions?: ReactNode;
  /** Two models to compare, or null for the deployment alone. */
  models: [string | null, string | null] | null;
  modelNames: Map<string, string>;
}) {
  const left = useRecommendations(project, { ...choices, modelId: models?.[0] ?? null });
  const right = useRecommendations(project, { ...choices, modelId: models?.[1] ?? null, enabled: models !== null });
  const idsOf = (response: Recommendation | undefined) => new Set(response?.results.map(({ item }) => item.item_id));
  const leftIds = idsOf(left.data);
  const rightIds = idsOf(right.data);
  const fresh = useFreshIds(choices.person?.user_id ?? '', left.isPlaceholderData ? undefined : left.data);
  const shared = [...leftIds].filter((id) => rightIds.has(id)).length;

  return (
    <div className="stack">
      {models ? (
        <>
          {left.data && right.data && (
            <p className="soft" role="status">
              {plural(shared, 'item')} in both lists; {leftIds.size - shared} only left, {rightIds.size - shared} only
              right (marked).
            </p>
          )}
          <div className="sides">
            <SideCard
              title={`Left: ${modelNames.get(models[0] ?? '') ?? 'the deployed model'}`}
              query={left}
              project={project}
              otherIds={right.data ? rightIds : undefined}
            />
            <SideCard
              title={`Right: ${modelNames.get(models[1] ?? '') ?? 'the deployed model'}`}
              query={right}
              project={project}
              otherIds={left.data ? leftIds : undefined}
            />
          </div>
        </>
      ) : (
        <>
          <SideCard title="For you" query={left} project={project} freshIds={fresh} action={action} actions={actions} />
          <div className="sides">
            <TouchedCard
              title="Continue"
              objective="continue"
              empty={`Items this user touched without a ${project.target_event_type} event since appear here.`}
              project={project}
              choices={choices}
              action={action}
            />
            <TouchedCard
              title="Again"
              objective="again"
              empty={`Items with a ${project.target_event_type} event of this user appear here.`}
              project={project}
              choices={choices}
              action={action}
            />
          </div>
        </>
      )}
    </div>
  );
}

/** How many items the short lists show. */
const SHORT_LIST = 5;

/** Items the user knows, without those that only fill up the list. */
function TouchedCard({
  title,
  objective,
  empty,
  project,
  choices,
  action,
}: {
  title: string;
  objective: 'continue' | 'again';
  empty: string;
  project: Project;
  choices: RecommendationChoices;
  action: ItemAction;
}) {
  const query = useRecommendations(project, { ...choices, objective, limit: SHORT_LIST });
  const results = query.data?.results.filter(({ filled }) => !filled);
  return (
    <Card title={title}>
      {query.error ? (
        <Problem error={query.error} onRetry={() => query.refetch()} />
      ) : results === undefined ? (
        <Skeleton height={200} label={`Loading ${title}`} />
      ) : results.length === 0 ? (
        <EmptyState title="Nothing yet">{empty}</EmptyState>
      ) : (
        <RecommendationList project={project} results={results} action={action} />
      )}
    </Card>
  );
}

interface ListQuery {
  data: Pick<Recommendation, 'results' | 'warnings'> | undefined;
  error: Error | null;
  refetch: () => unknown;
}

export function SideCard({
  title,
  query,
  actions,
  ...list
}: {
  title: string;
  actions?: ReactNode;
  query: ListQuery;
  project: Project;
  otherIds?: Set<string>;
  freshIds?: Set<string>;
  action?: ItemAction;
}) {
  return (
    <Card title={title} actions={actions}>
      {query.error ? (
        <Problem error={query.error} onRetry={() => query.refetch()} />
      ) : !query.data ? (
        <Skeleton height={480} label="Loading recommendations" />
      ) : (
        <div className="stack">
          <ListWarnings warnings={query.data.warnings} />
          {query.data.results.length === 0 ? (
            <EmptyState title="No items match">Try a broader filter.</EmptyState>
          ) : (
            <RecommendationList {...list} results={query.data.results} />
          )}
        </div>
      )}
    </Card>
  );
}

/** Items that are new since the last list for the same user; they are highlighted. `response`: of this user, undefined while it loads. */
function useFreshIds(userId: string, response: Recommendation | undefined): Set<string> {
  const before = useRef<{ userId: string; ids: Set<string> } | null>(null);
  const [fresh, setFresh] = useState<Set<string>>(new Set());
  useEffect(() => {
    if (!response) return;
    const ids = new Set(response.results.map(({ item }) => item.item_id));
    const known = before.current;
    setFresh(known?.userId === userId ? new Set([...ids].filter((id) => !known.ids.has(id))) : new Set());
    before.current = { userId, ids };
  }, [userId, response]);
  return fresh;
}
