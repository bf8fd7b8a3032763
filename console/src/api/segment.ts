// The mapping of Segment and RudderStack messages of a project.
import type { Project, RequestOf } from '../../../src/client/index.ts';
import { useClient } from '../session/session.tsx';
import { useRefresh } from './use-call.ts';

export type SegmentMapping = NonNullable<Project['segment_mapping']>;
export type SegmentRule = NonNullable<NonNullable<SegmentMapping['events']>[string]>;

export function useSaveSegmentMapping(projectId: string): (mapping: SegmentMapping) => Promise<void> {
  const client = useClient();
  const refresh = useRefresh();
  return async (mapping) => {
    // Nothing of its own is the default again.
    const isEmpty = Object.values(mapping).every((part) => Object.keys(part ?? {}).length === 0);
    const segment_mapping: RequestOf<'/update-project'>['segment_mapping'] = isEmpty ? null : mapping;
    await client.updateProject({ project_id: projectId, segment_mapping });
    await refresh('/get-project', '/list-projects');
  };
}
