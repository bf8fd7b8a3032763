// The dislikes of some users, out of all parts: all of them may be more than fit in memory.
import { type Dislikes, DislikesBuilder, NO_DISLIKES } from './dislikes.ts';
import type { TrainingEvents } from './training-events.ts';

/** Collects the dislikes of these users, under their numbers among all users. */
export async function gatherDislikes(
  events: Pick<TrainingEvents, 'dislikeCount' | 'parts'>,
  users: ReadonlySet<number>,
): Promise<Dislikes> {
  if (events.dislikeCount === 0 || users.size === 0) return NO_DISLIKES;
  const gathered = new DislikesBuilder();
  for await (const { firstUser, dislikes = NO_DISLIKES } of events.parts()) {
    for (let n = 0; n < dislikes.user.length; n++) {
      const user = firstUser + dislikes.user[n];
      if (users.has(user)) gathered.add(user, dislikes.item[n], dislikes.ts[n]);
    }
  }
  return gathered.finish();
}
