// One placement: the editor with its preview, and the versions.
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import type { Placement, Project } from '../../../src/client/index.ts';
import { definitionOf, KIND_NAMES, toRequest } from '../api/placements.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { Notice, Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { useAudience } from './audience.tsx';
import { PlacementEditor } from './placement-editor.tsx';
import { PlacementVersions } from './placement-versions.tsx';

export default function PlacementPage() {
  const { projectId = '', name = '' } = useParams();
  const project = useCall('/get-project', { project_id: projectId });
  const placement = useCall('/get-placement', { project_id: projectId, name });
  const error = project.error ?? placement.error;
  if (placement.data && project.data && !error) {
    return <LoadedPlacement project={project.data} newest={placement.data} />;
  }
  return (
    <Page title={name} crumbs={crumbsOf(projectId)}>
      {error ? (
        <Problem error={error} onRetry={() => (project.error ? project : placement).refetch()} />
      ) : (
        <Skeleton height={400} label="Loading the placement" />
      )}
    </Page>
  );
}

function crumbsOf(projectId: string) {
  return [{ name: 'Placements', path: `/placements/${projectId}` }];
}

function LoadedPlacement({ project, newest }: { project: Project; newest: Placement }) {
  // What is edited, and what the editor began with. A version that somebody else saves meanwhile replaces neither: that would discard the
  // changes made here.
  const [base, setBase] = useState(newest);
  const [begun, setBegun] = useState(newest);
  const audience = useAudience();
  const [deleting, setDeleting] = useState(false);
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [, navigate] = useLocation();
  const { project_id, name, version, kind } = base;
  const ids = { project_id, name };
  const stored = definitionOf(base);
  const beginWith = (placement: Placement) => {
    setBase(placement);
    setBegun(placement);
  };
  const tell = async (text: string) => {
    await refresh('/get-placement', '/list-placements', '/list-placement-versions');
    toast(text);
  };
  return (
    <Page
      title={name}
      lead={`${KIND_NAMES[kind]}, version ${version}`}
      crumbs={crumbsOf(project_id)}
      actions={
        <Button needs="/delete-placement" look="quiet" onPress={() => setDeleting(true)}>
          <Trash2 size={16} aria-hidden /> Delete
        </Button>
      }
    >
      {newest.version > version && (
        <Notice tone="warn">
          Version {newest.version} was saved meanwhile. Load it before you save; your changes here are discarded.{' '}
          <Button size="small" onPress={() => beginWith(newest)}>
            Load version {newest.version}
          </Button>
        </Notice>
      )}
      {/* Keyed, so that the editor starts from what was loaded or rolled back to. A save keeps what was changed while it ran. */}
      <PlacementEditor
        key={begun.version}
        project={project}
        audience={audience}
        stored={{ definition: stored, version }}
        start={definitionOf(begun)}
        submit="Save"
        save={async (definition) => {
          try {
            const change = { ...ids, ...toRequest(definition), expected_version: version };
            const saved = await client.updatePlacement(change);
            // At once: else it is taken for somebody else's version until all lists are loaded.
            setBase(saved);
            void tell(`Saved as version ${saved.version}.`);
            return saved;
          } catch (error) {
            await refresh('/get-placement', '/list-placement-versions');
            throw error;
          }
        }}
      />
      <PlacementVersions
        {...ids}
        current={newest.version}
        rollBack={async (to) => {
          const saved = await client.rollbackPlacement({ ...ids, version: to });
          beginWith(saved);
          await tell(`Version ${to} is active again, as version ${saved.version}.`);
        }}
      />
      <ConfirmDialog
        title={`Delete ${name}?`}
        isOpen={deleting}
        onClose={() => setDeleting(false)}
        confirm="Delete the placement"
        danger
        action={async () => {
          await client.deletePlacement(ids);
          navigate(`/placements/${project_id}`);
          await refresh('/list-placements');
        }}
      >
        Its versions are deleted too. Calls to it fail from then on.
      </ConfirmDialog>
    </Page>
  );
}
