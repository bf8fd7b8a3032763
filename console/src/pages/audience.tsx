// For whom a list is: a user of the data, or a visitor without an id who looked at some items just now. What they looked at is sent with
// the request and never stored.
import { useState } from 'react';
import type { Project } from '../../../src/client/index.ts';
import { Segments } from '../ui/field.tsx';
import { type CallContext, ContextPicker } from './context-picker.tsx';
import { ItemListPicker } from './item-list-picker.tsx';
import { UserPicker } from './user-picker.tsx';

/** The limit of session_events in a call. */
export const MAX_LOOKED_AT = 200;

export interface Audience {
  who: 'visitor' | 'user';
  userId: string | null;
  /** Items looked at just now, the oldest first. */
  lookedAt: string[];
  /** Where lists that start from an item start. */
  itemIds: string[];
  context: CallContext;
}

export type ChosenAudience = [Audience, (audience: Audience) => void];

/** Belongs to the page, so that it stays when an editor starts again after a save. */
export function useAudience(): ChosenAudience {
  return useState<Audience>({ who: 'visitor', userId: null, lookedAt: [], itemIds: [], context: {} });
}

export interface PersonFields {
  user_id?: string;
  session_events?: { item_id: string }[];
  context?: CallContext;
}

/** The fields of a request that say who it is for; null: no user is chosen yet. */
export function personOf({ who, userId, lookedAt, context }: Audience): PersonFields | null {
  if (who === 'user' && !userId) return null;
  const session_events = lookedAt.map((item_id) => ({ item_id }));
  return {
    ...(who === 'user' && userId && { user_id: userId }),
    ...((who === 'visitor' || session_events.length > 0) && { session_events }),
    ...(Object.keys(context).length > 0 && { context }),
  };
}

export function AudiencePicker({
  project,
  label,
  chosen: [audience, choose],
}: {
  project: Project;
  label: string;
  chosen: ChosenAudience;
}) {
  const { who, userId, lookedAt } = audience;
  return (
    <>
      <Segments
        label={label}
        value={who}
        onChange={(next) => choose({ ...audience, who: next })}
        choices={[
          { value: 'visitor', label: 'Visitor' },
          { value: 'user', label: 'User' },
        ]}
      />
      {who === 'user' && (
        <div className="row">
          <UserPicker project={project} userId={userId} onUser={(id) => choose({ ...audience, userId: id })} />
        </div>
      )}
      <ItemListPicker
        project={project}
        label={who === 'visitor' ? 'Items the visitor looked at' : 'Items the user looked at just now'}
        itemIds={lookedAt}
        onChange={(ids) => choose({ ...audience, lookedAt: ids })}
        most={MAX_LOOKED_AT}
      />
      <ContextPicker
        project={project}
        context={audience.context}
        onChange={(context) => choose({ ...audience, context })}
      />
    </>
  );
}
