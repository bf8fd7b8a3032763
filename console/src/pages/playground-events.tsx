// Events added in the playground are real: they count in recommendations and in the next training. So the first one of a visit
// needs a confirmation, and all of them can be undone, even after a reload.
import { useState } from 'react';
import type { Project } from '../../../src/client/index.ts';
import { useRefresh } from '../api/use-call.ts';
import { plural } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { Notice } from '../ui/states.tsx';
import { useToast } from '../ui/toast.tsx';
import { addedEvents, rememberAdded } from './added-events.ts';

const CHANGED = ['/recommend-items-to-user', '/list-dataset-records', '/get-event-statistics'] as const;

export function usePlaygroundEvents(project: Project, userId: string, eventType: string) {
  const { event_dataset_id } = project;
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [added, setAdded] = useState(() => addedEvents(event_dataset_id));
  const [agreed, setAgreed] = useState(false);
  const [asked, setAsked] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const remember = (eventIds: string[]) => setAdded(rememberAdded(event_dataset_id, eventIds));

  const write = async (itemId: string) => {
    const ts = Date.now();
    const event_id = `console:${userId}:${itemId}:${ts}`.slice(0, 256);
    const event = { event_id, user_id: userId, item_id: itemId, ts, event_type: eventType };
    const response = await client.upsertDatasetEvents({ event_dataset_id, events: [event] });
    if (response.failures.length > 0) throw new Error(response.failures[0].message);
    remember([...addedEvents(event_dataset_id), event_id]);
    setAgreed(true);
    await refresh(...CHANGED);
    toast(`${eventType} added. Recommendations updated.`);
  };

  const undo = useAction(async () => {
    await client.deleteDatasetEvents({ event_dataset_id, event_ids: added });
    remember([]);
    await refresh(...CHANGED);
    toast(`${plural(added.length, 'event')} removed. Recommendations updated.`);
  });

  return {
    add: (itemId: string) => {
      setError(null);
      if (agreed) write(itemId).catch(setError);
      else setAsked(itemId);
    },
    view: (
      <>
        {error !== null && <Problem error={error} />}
        {added.length > 0 && (
          <Notice>
            <strong>{plural(added.length, 'event')} added here</strong>
            They count in recommendations and in the next training until you remove them.
            <div className="row">
              <Button needs="/delete-dataset-events" size="small" isPending={undo.isPending} onPress={undo.start}>
                {added.length === 1 ? 'Undo' : 'Undo all'}
              </Button>
            </div>
            {undo.error !== null && <Problem error={undo.error} />}
          </Notice>
        )}
        <ConfirmDialog
          title="Add a real event?"
          isOpen={asked !== null}
          onClose={() => setAsked(null)}
          confirm={`Add ${eventType}`}
          action={() => write(asked!)}
        >
          <p>
            This writes a “{eventType}” event of {userId} into the event dataset of “{project.name}”. It changes this
            user’s recommendations and counts in the next training.
          </p>
          <p>You can undo it here. Later events of this visit are added without asking.</p>
        </ConfirmDialog>
      </>
    ),
  };
}
