// Lists that are the same for everybody: what is popular, trending or new, and of these what is new to a user or known.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Project } from '../../../src/client/index.ts';
import type { TopListKind } from '../../../src/domain/top-list.ts';
import { useTargetTypes } from '../api/statistics.ts';
import { useClient } from '../session/session.tsx';
import { Card } from '../ui/card.tsx';
import { Segments, SelectField } from '../ui/field.tsx';
import { KnownField } from './playground-known.tsx';
import { SideCard } from './playground-side.tsx';
import { type Objective, type RecommendationChoices, useItemAttributeNames } from './use-recommendations.ts';

const KINDS: { value: TopListKind; label: string; title: string }[] = [
  { value: 'popular', label: 'Popular', title: 'Popular' },
  { value: 'trending', label: 'Trending', title: 'More than before' },
  { value: 'newest', label: 'Newest', title: 'New in the catalog' },
];
const ALL_TYPES = '';
const DAY = '24';
const WEEK = '168';
const UP_TO_A_WEEK = [
  { value: '1', label: 'The last hour' },
  { value: DAY, label: 'The last day' },
  { value: WEEK, label: 'The last week' },
];
/** A trend is compared with the time before, so its window is shorter. */
const WINDOWS = { trending: UP_TO_A_WEEK, popular: [...UP_TO_A_WEEK, { value: '720', label: 'The last 30 days' }] };

interface TopProps {
  project: Project;
  choices: Omit<RecommendationChoices, 'person'>;
  userId: string | null;
}

export function TopLists({ project, choices, userId }: TopProps) {
  const [by, setBy] = useState<TopListKind>('popular');
  const [type, setType] = useState(ALL_TYPES);
  const [hours, setHours] = useState({ popular: WEEK, trending: DAY });
  const [known, setKnown] = useState<Objective | null>(null);
  const types = useTargetTypes(project);
  const counted = by === 'newest' ? null : by;
  const query = useTop(project, {
    by,
    limit: choices.limit,
    filter: choices.filter ?? '',
    ...(counted && { type, hours: hours[counted] }),
    ...(userId && { userId, known }),
  });
  return (
    <div className="playground picking">
      <Card title="What everybody sees" lead="Based on event counts. No model is used.">
        <div className="stack">
          <Segments label="By" value={by} onChange={setBy} choices={KINDS} />
          {counted && (
            <>
              <SelectField
                label="Events"
                value={type}
                onChange={setType}
                choices={[{ value: ALL_TYPES, label: 'All types' }, ...types.map((value) => ({ value, label: value }))]}
              />
              <SelectField
                label="Counted over"
                value={hours[counted]}
                onChange={(value) => setHours({ ...hours, [counted]: value })}
                choices={WINDOWS[counted]}
              />
            </>
          )}
          <KnownField userId={userId} value={known} onChange={setKnown} />
        </div>
      </Card>
      <SideCard title={KINDS.find(({ value }) => value === by)?.title ?? ''} query={query} project={project} />
    </div>
  );
}

interface TopChoices {
  by: TopListKind;
  limit: number;
  filter: string;
  type?: string;
  hours?: string;
  userId?: string;
  known?: Objective | null;
}

function useTop(project: Project, { by, limit, filter, type, hours, userId, known }: TopChoices) {
  const client = useClient();
  const attributes = useItemAttributeNames(project.item_dataset_id);
  const request = {
    project_id: project.project_id,
    by,
    limit,
    attributes: attributes ?? [],
    ...(filter.trim() && { filter_query: filter.trim() }),
    ...(type && { event_type: type }),
    ...(hours && { window_hours: Number(hours) }),
    ...(userId && { user_id: userId }),
    ...(known && { objective: known }),
  };
  return useQuery({
    queryKey: ['/list-top-items', request],
    queryFn: ({ signal }) => client.listTopItems(request, { signal }),
    enabled: attributes !== undefined,
    placeholderData: keepPreviousData,
  });
}
