// A page made of placements, as a visitor of the shop would see it: one call, no item twice. Opening an item counts as looked at in the
// next call, and lists that start from an item start from it; nothing is stored.
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useState } from 'react';
import { useParams } from 'wouter';
import type { Placement, Project } from '../../../src/client/index.ts';
import { MAX_START_ITEMS } from '../../../src/domain/list-limits.ts';
import { KIND_NAMES } from '../api/placements.ts';
import { useCall } from '../api/use-call.ts';
import { Page } from '../shell/page.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { SelectField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { AudiencePicker, useAudience } from './audience.tsx';
import { ItemListPicker } from './item-list-picker.tsx';
import { type Kinds, StorefrontView } from './storefront-view.tsx';

/** The limit of a page. */
const MAX_ON_PAGE = 20;

export default function StorefrontPage() {
  const { projectId = '' } = useParams();
  const project = useCall('/get-project', { project_id: projectId });
  const placements = useCall('/list-placements', { project_id: projectId, page_size: 100 });
  const error = project.error ?? placements.error;
  return (
    <Page
      title="Storefront"
      lead="Your placements on one page, as a visitor would see them. No item appears twice."
      crumbs={[{ name: 'Placements', path: `/placements/${projectId}` }]}
    >
      {error ? (
        <Problem error={error} onRetry={() => (project.error ? project : placements).refetch()} />
      ) : !project.data || !placements.data ? (
        <Skeleton height={400} label="Loading placements" />
      ) : placements.data.placements.length === 0 ? (
        <div className="card">
          <EmptyState
            title="No placements yet"
            action={
              <LinkButton needs="/create-placement" to={`/new-placement/${projectId}`} look="primary">
                New placement
              </LinkButton>
            }
          >
            Create one for each list of your page.
          </EmptyState>
        </div>
      ) : (
        <PlacementsOnPage project={project.data} placements={placements.data.placements} />
      )}
    </Page>
  );
}

function PlacementsOnPage({ project, placements }: { project: Project; placements: Placement[] }) {
  const audience = useAudience();
  // A ranking needs the items to rank, which no visitor chooses.
  const offered = placements.filter(({ kind }) => kind !== 'ranking').toSorted((a, b) => a.created_ts - b.created_ts);
  const [names, setNames] = useState(() => offered.slice(0, MAX_ON_PAGE).map(({ name }) => name));
  const kinds = new Map(offered.map(({ name, kind }) => [name, kind]));
  return (
    <div className="storefront">
      <div className="stack">
        <Card title="Seen by">
          <div className="stack">
            <AudiencePicker project={project} label="Seen by" chosen={audience} />
            <ItemListPicker
              project={project}
              label="Open item, for lists that start from one"
              itemIds={audience[0].itemIds}
              onChange={(itemIds) => audience[1]({ ...audience[0], itemIds })}
              most={MAX_START_ITEMS}
            />
          </div>
        </Card>
        <Card title="On the page">
          <PageOrder names={names} kinds={kinds} onChange={setNames} />
        </Card>
      </div>
      <StorefrontView project={project} chosen={audience} names={names} kinds={kinds} />
    </div>
  );
}

function PageOrder({ names, kinds, onChange }: { names: string[]; kinds: Kinds; onChange: (names: string[]) => void }) {
  const move = (from: number, to: number) => onChange(names.toSpliced(from, 1).toSpliced(to, 0, names[from]));
  const others = [...kinds.keys()].filter((name) => !names.includes(name));
  return (
    <div className="stack">
      <ol className="shape-entries" aria-label="On the page">
        {names.map((name, index) => (
          <li key={name} className="row spread">
            <span className="clip">
              {name} <span className="hint">{KIND_NAMES[kinds.get(name) ?? 'for_you']}</span>
            </span>
            <span className="row page-order">
              <Button
                look="quiet"
                size="small"
                icon
                aria-label={`Move ${name} up`}
                isDisabled={index === 0}
                onPress={() => move(index, index - 1)}
              >
                <ArrowUp size={15} aria-hidden />
              </Button>
              <Button
                look="quiet"
                size="small"
                icon
                aria-label={`Move ${name} down`}
                isDisabled={index === names.length - 1}
                onPress={() => move(index, index + 1)}
              >
                <ArrowDown size={15} aria-hidden />
              </Button>
              <Button
                look="quiet"
                size="small"
                icon
                aria-label={`Take ${name} off the page`}
                onPress={() => onChange(names.toSpliced(index, 1))}
              >
                <X size={15} aria-hidden />
              </Button>
            </span>
          </li>
        ))}
      </ol>
      {others.length > 0 && names.length < MAX_ON_PAGE && (
        <SelectField
          label="Add a placement"
          value={null}
          onChange={(name) => onChange([...names, name])}
          choices={others.map((name) => ({ value: name, label: name }))}
        />
      )}
    </div>
  );
}
