// What a placement would show a chosen user or visitor, next to what it shows today.

import type { Project } from '../../../src/client/index.ts';
import { MAX_START_ITEMS } from '../../../src/domain/list-limits.ts';
import { ITEM_KINDS, type PlacementDefinition, type PreviewRequest, usePreview } from '../api/placements.ts';
import { Card } from '../ui/card.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { useSettled } from '../ui/use-settled.ts';
import { AudiencePicker, type ChosenAudience, personOf } from './audience.tsx';
import { ItemListPicker } from './item-list-picker.tsx';
import { ListWarnings } from './list-warnings.tsx';
import { type Pinning, PlacementCards } from './placement-cards.tsx';

/** Changes within this time make one request. */
const SETTLE_MS = 300;

export function PlacementPreview({
  project,
  chosen,
  draft,
  stored,
  isChanged,
  pinning,
}: {
  project: Project;
  chosen: ChosenAudience;
  /** null while a field is invalid. */
  draft: PlacementDefinition | null;
  stored: { definition: PlacementDefinition; version: number } | null;
  isChanged: boolean;
  pinning: Pinning;
}) {
  const [audience, choose] = chosen;
  const { itemIds } = audience;
  const settled = useSettled(draft, SETTLE_MS);
  const person = personOf(audience);
  const requestOf = (definition: PlacementDefinition | null | undefined): PreviewRequest | null => {
    if (!definition || person === null) return null;
    if (!ITEM_KINDS.includes(definition.kind)) return person;
    return itemIds.length > 0 ? { ...person, item_ids: itemIds } : null;
  };
  const shown = usePreview(project, settled, requestOf(settled));
  const today = usePreview(project, stored?.definition ?? null, requestOf(isChanged ? stored?.definition : null));
  const needsItem = [draft, stored?.definition].some((one) => one && ITEM_KINDS.includes(one.kind));
  const both = stored !== null && isChanged;
  const waiting = person === null ? 'Pick a user' : 'Pick an item';
  return (
    <div className="stack placement-preview">
      <Card title="Preview for">
        <div className="stack">
          <AudiencePicker project={project} label="Preview for" chosen={chosen} />
          {needsItem && (
            <ItemListPicker
              project={project}
              label={(draft ?? stored?.definition)?.kind === 'ranking' ? 'Items to rank' : 'Items to start from'}
              itemIds={itemIds}
              onChange={(ids) => choose({ ...audience, itemIds: ids })}
              most={MAX_START_ITEMS}
            />
          )}
        </div>
      </Card>
      <div className="sides">
        <PreviewCard
          title={both ? 'With your changes' : stored ? `Version ${stored.version}` : 'This placement'}
          waiting={requestOf(settled) === null ? waiting : null}
          query={shown}
          otherIds={both ? idsOf(today.data) : undefined}
          pinning={pinning}
        />
        {both && (
          <PreviewCard
            title={`Version ${stored.version}, today`}
            waiting={requestOf(stored.definition) === null ? waiting : null}
            query={today}
            otherIds={idsOf(shown.data)}
          />
        )}
      </div>
    </div>
  );
}

type Preview = ReturnType<typeof usePreview>;

function idsOf(list: Preview['data']): Set<string> | undefined {
  return list && new Set(list.results.map(({ item }) => item.item_id));
}

function PreviewCard({
  title,
  waiting,
  query,
  otherIds,
  pinning,
}: {
  title: string;
  /** What the preview still needs. */
  waiting: string | null;
  query: Preview;
  otherIds?: Set<string>;
  pinning?: Pinning;
}) {
  return (
    <Card title={title}>
      {waiting !== null ? (
        <EmptyState title={waiting}>The list appears here.</EmptyState>
      ) : query.error ? (
        <Problem error={query.error} onRetry={() => query.refetch()} />
      ) : !query.data ? (
        <Skeleton height={360} label="Loading the preview" />
      ) : (
        <div className="stack">
          {query.data.rules.length > 0 && <p className="hint">Active rules: {query.data.rules.join(', ')}</p>}
          <ListWarnings warnings={query.data.warnings} />
          {query.data.results.length === 0 ? (
            <EmptyState title="No items match">Try a broader filter.</EmptyState>
          ) : (
            <PlacementCards label={title} results={query.data.results} otherIds={otherIds} pinning={pinning} />
          )}
        </div>
      )}
    </Card>
  );
}
