// The lists of the playground: of a user with a history, of a visitor without an id, and those that start from items.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Project } from '../../../src/client/index.ts';
import { MAX_START_ITEMS } from '../../../src/domain/list-limits.ts';
import type { Relation } from '../../../src/domain/relation.ts';
import { useTargetTypes } from '../api/statistics.ts';
import { useClient } from '../session/session.tsx';
import { Card } from '../ui/card.tsx';
import { Segments, SelectField } from '../ui/field.tsx';
import { EmptyState } from '../ui/states.tsx';
import { MAX_LOOKED_AT } from './audience.tsx';
import { ItemListPicker } from './item-list-picker.tsx';
import { usePlaygroundEvents } from './playground-events.tsx';
import { PlaygroundHistory } from './playground-history.tsx';
import { KnownField } from './playground-known.tsx';
import { PlaygroundSide, SideCard } from './playground-side.tsx';
import { type Objective, type RecommendationChoices, useItemAttributeNames } from './use-recommendations.ts';

interface ListsProps {
  project: Project;
  choices: Omit<RecommendationChoices, 'person'>;
  models: [string | null, string | null] | null;
  modelNames: Map<string, string>;
}

export function UserLists({ userId, choices, ...rest }: ListsProps & { userId: string }) {
  const { project } = rest;
  const types = useTargetTypes(project);
  const [type, setType] = useState<string | null>(null);
  const eventType = type ?? types[0];
  const events = usePlaygroundEvents(project, userId, eventType);
  return (
    <div className="playground">
      <PlaygroundHistory key={userId} project={project} userId={userId} />
      <div className="stack">
        {events.view}
        <PlaygroundSide
          {...rest}
          choices={{ ...choices, person: { user_id: userId } }}
          action={{
            text: eventType,
            label: (name) => `Add a ${eventType} event for ${name}`,
            run: events.add,
            needs: '/upsert-dataset-events',
          }}
          actions={
            types.length > 1 && (
              <div className="event-type-picker">
                <SelectField
                  label="Add events of type"
                  value={eventType}
                  onChange={setType}
                  choices={types.map((value) => ({ value, label: value }))}
                />
              </div>
            )
          }
        />
      </div>
    </div>
  );
}

/** Nothing is stored: what the visitor looked at is sent with each request. */
export function VisitorLists({ choices, ...rest }: ListsProps) {
  const [lookedAt, setLookedAt] = useState<string[]>([]);
  const look = (itemId: string) =>
    setLookedAt((before) => [...before.filter((id) => id !== itemId), itemId].slice(-MAX_LOOKED_AT));
  return (
    <div className="playground picking">
      <Card title="The visitor" lead="A visitor without an id. Nothing is stored.">
        <ItemListPicker
          project={rest.project}
          label="Items the visitor looked at"
          itemIds={lookedAt}
          onChange={setLookedAt}
          most={MAX_LOOKED_AT}
        />
      </Card>
      <PlaygroundSide
        {...rest}
        choices={{ ...choices, person: { session_events: lookedAt.map((item_id) => ({ item_id })) } }}
        action={{ text: 'look at', label: (name) => `Look at ${name}`, run: look }}
      />
    </div>
  );
}

const RELATIONS: { value: Relation; label: string; title: string }[] = [
  { value: 'similar', label: 'Similar', title: 'Instead of it' },
  { value: 'together', label: 'Together', title: 'Goes with it' },
  { value: 'next', label: 'Next', title: 'Comes after it' },
];

export function RelatedLists({ project, choices, userId }: ListsProps & { userId: string | null }) {
  const [itemIds, setItemIds] = useState<string[]>([]);
  const [relation, setRelation] = useState<Relation>('similar');
  const [known, setKnown] = useState<Objective | null>(null);
  const query = useRelated(project, { itemIds, relation, userId, choices, known: userId ? known : null });
  const add = (itemId: string) =>
    setItemIds((before) => [...before.filter((id) => id !== itemId), itemId].slice(-MAX_START_ITEMS));
  return (
    <div className="playground picking">
      <Card
        title="Start from"
        lead={
          userId ? `In the order for ${userId}.` : 'The same for everybody. Pick a user above for a personal order.'
        }
      >
        <div className="stack">
          <ItemListPicker
            project={project}
            label="Items to start from"
            itemIds={itemIds}
            onChange={setItemIds}
            most={MAX_START_ITEMS}
          />
          <Segments label="Relation" value={relation} onChange={setRelation} choices={RELATIONS} />
          <KnownField userId={userId} value={known} onChange={setKnown} />
        </div>
      </Card>
      {itemIds.length === 0 ? (
        <div className="card">
          <EmptyState title="Pick an item">Items that are similar, go with it or come after it appear here.</EmptyState>
        </div>
      ) : (
        <SideCard
          title={RELATIONS.find(({ value }) => value === (query.data?.relation ?? relation))?.title ?? ''}
          query={query}
          project={project}
          action={{ text: 'start from', label: (name) => `Start from ${name} too`, run: add }}
        />
      )}
    </div>
  );
}

interface RelatedChoices {
  itemIds: string[];
  relation: Relation;
  userId: string | null;
  choices: ListsProps['choices'];
  known: Objective | null;
}

function useRelated(project: Project, { itemIds, relation, userId, choices, known }: RelatedChoices) {
  const client = useClient();
  const attributes = useItemAttributeNames(project.item_dataset_id);
  const request = {
    project_id: project.project_id,
    item_ids: itemIds,
    relation,
    limit: choices.limit,
    explain: true,
    attributes: attributes ?? [],
    ...(userId && { user_id: userId }),
    ...(choices.filter?.trim() && { filter_query: choices.filter.trim() }),
    ...(known && { objective: known }),
  };
  return useQuery({
    queryKey: ['/recommend-items-to-item', request],
    queryFn: ({ signal }) => client.recommendItemsToItem(request, { signal }),
    enabled: itemIds.length > 0 && attributes !== undefined,
    placeholderData: keepPreviousData,
  });
}
