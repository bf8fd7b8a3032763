// One placement: the editor with its preview, and the versions.
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { definitionOf, KIND_NAMES, toRequest } from '../api/placements.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { PlacementEditor } from './placement-editor.tsx';
import { PlacementVersions } from './placement-versions.tsx';

export default function PlacementPage() {
  const { projectId = '', name = '' } = useParams();
  const ids = { project_id: projectId, name };
  const project = useCall('/get-project', { project_id: projectId });
  const placement = useCall('/get-placement', ids);
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [, navigate] = useLocation();
  const [deleting, setDeleting] = useState(false);
  const reload = () => refresh('/get-placement', '/list-placements', '/list-placement-versions');
  const crumbs = [{ name: 'Placements', path: `/placements/${projectId}` }];
  const error = project.error ?? placement.error;
  if (error || !project.data || !placement.data) {
    return (
      <Page title={name} crumbs={crumbs}>
        {error ? (
          <Problem error={error} onRetry={() => (project.error ? project : placement).refetch()} />
        ) : (
          <Skeleton height={400} label="Loading the placement" />
        )}
      </Page>
    );
  }
  const { version, kind } = placement.data;
  const stored = definitionOf(placement.data);
  return (
    <Page
      title={name}
      lead={`${KIND_NAMES[kind]}, version ${version}`}
      crumbs={crumbs}
      actions={
        <Button look="quiet" onPress={() => setDeleting(true)}>
          <Trash2 size={16} aria-hidden /> Delete
        </Button>
      }
    >
      {/* Keyed, so that the editor starts from what was saved or rolled back to. */}
      <PlacementEditor
        key={version}
        project={project.data}
        stored={{ definition: stored, version }}
        start={stored}
        submit="Save"
        save={async (definition) => {
          const saved = await client.updatePlacement({ ...ids, ...toRequest(definition), expected_version: version });
          await reload();
          toast(`Saved as version ${saved.version}.`);
        }}
      />
      <PlacementVersions
        {...ids}
        current={version}
        rollBack={async (to) => {
          const saved = await client.rollbackPlacement({ ...ids, version: to });
          await reload();
          toast(`Version ${to} holds again, as version ${saved.version}.`);
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
          navigate(`/placements/${projectId}`);
          await refresh('/list-placements');
        }}
      >
        Its versions are deleted too, and calls of it are refused from then on.
      </ConfirmDialog>
    </Page>
  );
}
