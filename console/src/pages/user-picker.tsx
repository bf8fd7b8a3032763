// Picks a user by a part of the id or an attribute, or at random.
import { Dices } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Project } from '../../../src/client/index.ts';
import { useCall } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { SuggestField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { useSettled } from '../ui/use-settled.ts';

export function UserPicker({
  project,
  userId,
  onUser,
}: {
  project: Project;
  userId: string | null;
  onUser: (userId: string) => void;
}) {
  const client = useClient();
  const [text, setText] = useState(userId ?? '');
  useEffect(() => setText(userId ?? ''), [userId]);
  const settled = useSettled(text.trim(), 250);
  const users = useCall(
    '/list-dataset-records',
    {
      user_dataset_id: project.user_dataset_id,
      page_size: 12,
      ...(settled && settled !== userId ? { search: settled } : {}),
    },
    { keepPrevious: true },
  );
  const surprise = useAction(
    async () => {
      // Users of the newest events always have a history.
      const { records } = await client.listDatasetRecords({
        event_dataset_id: project.event_dataset_id,
        page_size: 200,
      });
      const ids = [...new Set(records.flatMap((record) => ('user_id' in record ? record.user_id : [])))];
      const others = ids.filter((id) => id !== userId);
      return others[Math.floor(Math.random() * others.length)] as string | undefined;
    },
    (id) => id !== undefined && onUser(id),
  );
  const choices = (users.data?.records ?? []).flatMap((record) =>
    'user_id' in record ? [{ value: record.user_id, label: record.user_id, note: noteOf(record.attributes) }] : [],
  );
  return (
    <div className="row bottom user-picker">
      <div className="grow">
        <SuggestField
          label="User"
          value={text}
          onChange={setText}
          onChoose={onUser}
          choices={choices}
          placeholder="user_id, or a part of it"
          onEnter={() => text.trim() && onUser(text.trim())}
        />
      </div>
      <Button onPress={surprise.start} isPending={surprise.isPending} aria-label="Pick a user at random" icon>
        <Dices size={18} aria-hidden />
      </Button>
      {surprise.error !== null && <Problem error={surprise.error} />}
    </div>
  );
}

function noteOf(attributes: Record<string, unknown> | undefined): string {
  return Object.values(attributes ?? {})
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .slice(0, 2)
    .join(', ');
}
