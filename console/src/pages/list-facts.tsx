// What a job that makes lists was asked for, in words.
import type { Job } from '../../../src/client/index.ts';
import type { JobUsers, RecommendationJobData } from '../../../src/domain/recommendation-job.ts';
import { useProjectModels } from '../api/deployment.ts';
import { downloadOf, FORMAT_NAMES, OBJECTIVE_NAMES } from '../api/list-jobs.ts';
import { formatDateTime, plural } from '../format.ts';
import { Facts } from '../ui/card.tsx';

export function ListFacts({ job }: { job: Job }) {
  const data = job.job_data as RecommendationJobData;
  const { placement, objective, filter_query, call } = data;
  const download = downloadOf(job);
  const models = useProjectModels(job.project_id).data ?? [];
  const model = models.find(({ model_id }) => model_id === data.model_id)?.name ?? data.model_id;
  const bySays = 'As the placement says';
  const shaping = [
    ...(call?.boosts?.length ? [plural(call.boosts.length, 'boost')] : []),
    ...(call?.pins?.length ? [plural(call.pins.length, 'pin')] : []),
    ...(call?.diversity === undefined ? [] : ['variety']),
    ...(call?.context === undefined ? [] : ['context']),
    ...(call?.touch_days === undefined && call?.exclude_seen === undefined ? [] : ['what the user knows']),
  ];
  return (
    <Facts
      facts={[
        { name: 'Users', value: usersInWords(data.users) },
        placement === null ? { name: 'Model', value: model } : { name: 'Placement', value: placement },
        { name: 'Items per user', value: data.limit ?? bySays },
        { name: 'Objective', value: objective === null ? bySays : OBJECTIVE_NAMES[objective] },
        ...(filter_query ? [{ name: 'Filter', value: <code>{filter_query}</code> }] : []),
        ...(data.exclude_event_types.length > 0
          ? [{ name: 'Leaves out items with', value: data.exclude_event_types.join(', ') }]
          : []),
        ...(shaping.length > 0 ? [{ name: 'Shaped by', value: shaping.join(', ') }] : []),
        { name: 'File', value: FORMAT_NAMES[data.format] },
        { name: 'Created', value: formatDateTime(job.created_ts) },
        ...(download ? [{ name: 'Kept until', value: formatDateTime(download.untilMs) }] : []),
      ]}
    />
  );
}

function usersInWords(users: JobUsers): string {
  if ('all' in users) return 'All users';
  return 'user_ids' in users ? plural(users.user_ids.length, 'user') : 'From a question about users';
}
