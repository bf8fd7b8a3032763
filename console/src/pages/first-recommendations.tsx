// The last step of the guided path: recommendations for a user of the dataset.
import type { Project } from '../../../src/client/index.ts';
import { useCall } from '../api/use-call.ts';
import { LinkButton } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { Skeleton } from '../ui/states.tsx';
import { RecommendationList } from './recommendation-list.tsx';
import { useRecommendations } from './use-recommendations.ts';

export function FirstRecommendations({ project }: { project: Project }) {
  const newest = useCall('/list-dataset-records', { event_dataset_id: project.event_dataset_id, page_size: 1 });
  const event = newest.data?.records[0];
  const userId = event && 'user_id' in event ? event.user_id : null;
  const recommendations = useRecommendations(project, {
    person: userId === null ? null : { user_id: userId },
    limit: 5,
  });
  const error = newest.error ?? recommendations.error;
  if (error) return <Problem error={error} onRetry={() => recommendations.refetch()} />;
  return (
    <div className="stack">
      <p className="soft">
        For <code>{userId ?? '…'}</code>, who was here last:
      </p>
      {recommendations.data ? (
        <RecommendationList project={project} results={recommendations.data.results} />
      ) : (
        <Skeleton height={300} label="Loading recommendations" />
      )}
      <div className="row">
        <LinkButton to={`/playground/${project.project_id}/${encodeURIComponent(userId ?? '')}`} look="primary">
          Open the playground
        </LinkButton>
        <LinkButton to="/insight">Explore your users</LinkButton>
      </div>
    </div>
  );
}
