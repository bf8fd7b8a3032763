// A placement that does not exist yet.
import { useLocation, useParams } from 'wouter';
import { NEW_DEFINITION, toRequest } from '../api/placements.ts';
import { useCall, useRefresh } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { Problem } from '../ui/problem.tsx';
import { Skeleton } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { useAudience } from './audience.tsx';
import { PlacementEditor } from './placement-editor.tsx';

export default function NewPlacementPage() {
  const { projectId = '' } = useParams();
  const project = useCall('/get-project', { project_id: projectId });
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [, navigate] = useLocation();
  const audience = useAudience();
  return (
    <Page title="New placement" crumbs={[{ name: 'Placements', path: `/placements/${projectId}` }]}>
      {project.error ? (
        <Problem error={project.error} onRetry={() => project.refetch()} />
      ) : !project.data ? (
        <Skeleton height={400} label="Loading the project" />
      ) : (
        <PlacementEditor
          project={project.data}
          audience={audience}
          stored={null}
          start={NEW_DEFINITION}
          submit="Create placement"
          save={async (definition, name) => {
            const created = await client.createPlacement({ project_id: projectId, name, ...toRequest(definition) });
            await refresh('/list-placements');
            toast(`${name} created.`);
            return created;
          }}
          onSaved={({ name }) => navigate(`/placements/${projectId}/${name}`)}
        />
      )}
    </Page>
  );
}
