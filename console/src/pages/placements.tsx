// The placements of a project, each with a small preview of what a new visitor sees.
import { LayoutList, Plus, Store } from 'lucide-react';
import { Link } from 'wouter';
import type { Placement, Project } from '../../../src/client/index.ts';
import { SHOP_PATH } from '../../../src/sample/film-shop.ts';
import { useIsShop } from '../api/demo-shop.ts';
import { definitionOf, ITEM_KINDS, KIND_NAMES, usePreview } from '../api/placements.ts';
import { useCall } from '../api/use-call.ts';
import { formatAgo, formatDateTime } from '../format.ts';
import { Page } from '../shell/page.tsx';
import { ProjectPage } from '../shell/project-page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { Pager, usePages } from '../ui/pager.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { PlacementCards } from './placement-cards.tsx';

const LEAD = 'Lists with a name that you change without a release.';

export default function PlacementsPage() {
  return (
    <ProjectPage
      title="Placements"
      lead={LEAD}
      path="/placements"
      empty={
        <EmptyState
          title="No project yet"
          action={
            <LinkButton to="/" look="primary">
              Begin
            </LinkButton>
          }
        >
          Placements belong to a project. The guided path creates one.
        </EmptyState>
      }
    >
      {(project, picker) => (
        <Page
          title="Placements"
          lead={LEAD}
          actions={
            <>
              {picker}
              <ShopLink project={project} />
              <LinkButton to={`/storefront/${project.project_id}`}>
                <Store size={17} aria-hidden /> Storefront
              </LinkButton>
              <NewPlacement project={project} />
            </>
          }
        >
          <ProjectPlacements key={project.project_id} project={project} />
        </Page>
      )}
    </ProjectPage>
  );
}

function ShopLink({ project }: { project: Project }) {
  return useIsShop(project.project_id) ? (
    <a href={SHOP_PATH} target="_blank" rel="noreferrer">
      Open the demo shop
    </a>
  ) : null;
}

function NewPlacement({ project }: { project: Project }) {
  return (
    <LinkButton needs="/create-placement" to={`/new-placement/${project.project_id}`} look="primary">
      <Plus size={17} aria-hidden /> New placement
    </LinkButton>
  );
}

function ProjectPlacements({ project }: { project: Project }) {
  const pages = usePages();
  const { project_id } = project;
  const placements = useCall(
    '/list-placements',
    { project_id, page_size: 12, page_token: pages.token },
    { keepPrevious: true },
  );
  if (placements.error) return <Problem error={placements.error} onRetry={() => placements.refetch()} />;
  if (!placements.data) return <Skeleton height={200} label="Loading placements" />;
  if (placements.data.placements.length === 0) {
    return (
      <div className="card">
        <EmptyState icon={<LayoutList size={36} strokeWidth={1.4} aria-hidden />} title="No placements yet">
          Create one for each list of your pages. Your code calls it by its name.
        </EmptyState>
      </div>
    );
  }
  return (
    <>
      <ul className="stack">
        {placements.data.placements.map((placement) => (
          <PlacementEntry key={placement.name} project={project} placement={placement} />
        ))}
      </ul>
      <Pager pages={pages} list={placements} />
    </>
  );
}

const SMALL_PREVIEW = { session_events: [], limit: 6 };

function PlacementEntry({ project, placement }: { project: Project; placement: Placement }) {
  const { name, kind, version, changed_by, changed_ts } = placement;
  const needsItem = ITEM_KINDS.includes(kind);
  const preview = usePreview(project, definitionOf(placement), needsItem ? null : SMALL_PREVIEW);
  return (
    <li className="card stack">
      <div className="row spread">
        <h2 className="clip">
          <Link href={`/placements/${project.project_id}/${name}`}>{name}</Link>
        </h2>
        <span className="row">
          <span className="tag accent">{KIND_NAMES[kind]}</span>
          <span className="tag">version {version}</span>
        </span>
      </div>
      <p className="hint">
        Changed by {changed_by.key_name ?? changed_by.key_id}{' '}
        <time dateTime={new Date(changed_ts).toISOString()} title={formatDateTime(changed_ts)}>
          {formatAgo(changed_ts)}
        </time>
      </p>
      {needsItem ? (
        <p className="hint">
          {kind === 'ranking'
            ? 'Sorts given items. Open it to choose some and see their order.'
            : 'Starts from an item. Open it to choose one and see the list.'}
        </p>
      ) : preview.error ? (
        <p className="hint">No preview: {preview.error.message}</p>
      ) : !preview.data ? (
        <Skeleton height={60} label="Loading the preview" />
      ) : preview.data.results.length === 0 ? (
        <p className="hint">Shows nothing to a new visitor.</p>
      ) : (
        <PlacementCards label={`What ${name} shows a new visitor`} results={preview.data.results} small />
      )}
    </li>
  );
}
