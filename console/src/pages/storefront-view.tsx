// What a page of placements shows the chosen visitor: one call, no item twice.

import type { Project } from '../../../src/client/index.ts';
import { ITEM_KINDS, type PlacementKind, type PlacementList, useCardAttributes } from '../api/placements.ts';
import { useCall } from '../api/use-call.ts';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Notice, Skeleton } from '../ui/states.tsx';
import { type ChosenAudience, MAX_LOOKED_AT, personOf } from './audience.tsx';
import { ListWarnings } from './list-warnings.tsx';
import { PlacementCards } from './placement-cards.tsx';

/** Kinds of the placements by their names. */
export type Kinds = ReadonlyMap<string, PlacementKind>;

export function StorefrontView({
  project,
  chosen: [audience, choose],
  names,
  kinds,
}: {
  project: Project;
  chosen: ChosenAudience;
  names: string[];
  kinds: Kinds;
}) {
  const person = personOf(audience);
  const attributes = useCardAttributes(project.item_dataset_id);
  const { itemIds, lookedAt } = audience;
  const needsItem = (name: string) => ITEM_KINDS.includes(kinds.get(name) ?? 'for_you');
  const asked = names.filter((name) => itemIds.length > 0 || !needsItem(name));
  const page = useCall(
    '/compose-page',
    {
      project_id: project.project_id,
      ...person,
      attributes,
      preview: true,
      placements: asked.map((name) => ({ name, ...(needsItem(name) && { item_ids: itemIds }) })),
    },
    { enabled: person !== null && asked.length > 0 && attributes !== undefined, keepPrevious: true },
  );
  const waiting = names.filter((name) => !asked.includes(name));
  const open = (itemId: string) =>
    choose({
      ...audience,
      itemIds: [itemId],
      lookedAt: [...lookedAt.filter((id) => id !== itemId), itemId].slice(-MAX_LOOKED_AT),
    });
  return (
    <section className="card storefront-page" aria-label="The page">
      {waiting.length > 0 && <Notice>Open an item to see {waiting.join(', ')}: they start from one.</Notice>}
      {person === null ? (
        <EmptyState title="Pick a user">The page appears here.</EmptyState>
      ) : asked.length === 0 ? (
        <EmptyState title="Nothing on the page">Add a placement, or open an item.</EmptyState>
      ) : page.error ? (
        <Problem error={page.error} onRetry={() => page.refetch()} />
      ) : !page.data ? (
        <Skeleton height={480} label="Loading the page" />
      ) : (
        <div className="stack">
          {page.data.placements.map((list) => (
            <ShownList key={list.placement} list={list} onOpen={open} />
          ))}
        </div>
      )}
    </section>
  );
}

function ShownList({ list, onOpen }: { list: PlacementList; onOpen: (itemId: string) => void }) {
  const title = titleOf(list.placement ?? '');
  return (
    <section className="stack-s" aria-label={title}>
      <h2>{title}</h2>
      <ListWarnings warnings={list.warnings} />
      {list.results.length === 0 ? (
        <p className="hint">Nothing to show here.</p>
      ) : (
        <PlacementCards label={title} results={list.results} onOpen={onOpen} />
      )}
    </section>
  );
}

/** home-page → Home page. */
function titleOf(name: string): string {
  const words = name.replace(/[-_]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
