// What is known about a user: attributes, and events newest first with their items.
import type { EventRecord, Project } from '../../../src/client/index.ts';
import { itemInfo, useItems } from '../api/items.ts';
import { useCall } from '../api/use-call.ts';
import { formatAgo, formatDateTime } from '../format.ts';
import { Card } from '../ui/card.tsx';
import { Pager, usePages } from '../ui/pager.tsx';
import { Problem } from '../ui/problem.tsx';
import { EmptyState, Skeleton } from '../ui/states.tsx';
import { AttributeTags } from './dataset-records.tsx';
import { ItemAttributes, ItemName } from './recommendation-list.tsx';

const PAGE_ROWS = 10;

export function PlaygroundHistory({ project, userId }: { project: Project; userId: string }) {
  const pages = usePages();
  const events = useCall(
    '/list-dataset-records',
    { event_dataset_id: project.event_dataset_id, user_id: userId, page_size: PAGE_ROWS, page_token: pages.token },
    { keepPrevious: true },
  );
  const user = useCall('/get-dataset-record', { user_dataset_id: project.user_dataset_id, user_id: userId });
  const rows = (events.data?.records ?? []) as EventRecord[];
  const items = useItems(
    project.item_dataset_id,
    rows.map((event) => event.item_id),
  );
  return (
    <Card title="History">
      <div className="stack">
        {user.data ? (
          <AttributeTags attributes={(user.data.attributes ?? {}) as Record<string, unknown>} />
        ) : (user.error as { code?: string } | null)?.code === 'RECORD_NOT_FOUND' ? (
          <p className="hint">Not in the user dataset. Known from events only.</p>
        ) : user.error ? (
          <Problem error={user.error} onRetry={() => user.refetch()} />
        ) : (
          <Skeleton height={22} />
        )}
        {events.error ? (
          <Problem error={events.error} onRetry={() => events.refetch()} />
        ) : !events.data ? (
          <Skeleton height={420} label="Loading the history" />
        ) : rows.length === 0 ? (
          <EmptyState title="No events yet">
            Recommendations come from the user’s attributes, else from what is popular. Add an event and watch them
            change.
          </EmptyState>
        ) : (
          <div>
            <ol className="item-list">
              {rows.map((event) => {
                const info = items.get(event.item_id) ?? itemInfo(event.item_id, {});
                return (
                  <li key={event.event_id} className="item-card plain">
                    <div className="item-body">
                      <ItemName info={info} />
                      <ItemAttributes info={info} most={3} />
                    </div>
                    <div className="item-side">
                      <span className="tag accent">{event.event_type}</span>
                      <div>
                        <time dateTime={new Date(event.ts).toISOString()} title={formatDateTime(event.ts)}>
                          {formatAgo(event.ts)}
                        </time>
                      </div>
                    </div>
                  </li>
                );
              })}
            </ol>
            <Pager pages={pages} list={events} />
          </div>
        )}
      </div>
    </Card>
  );
}
