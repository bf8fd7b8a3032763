// How much contexts and dislikes count is learned from what users did, through a real store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '../../src/base/seeded-random.ts';
import { trainOn } from '../support/train-on.ts';

const USERS = 400;
const GENRES = 4;
const ITEMS_PER_GENRE = 12;
const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

type Event = { user_id: string; item_id: string; event_value?: number; ts: number; attributes?: { device: string } };

/** One event in five is about anything. */
function itemOf(genre: number, random: Random): string {
  const own = random.chance(0.8) ? genre : random.below(GENRES);
  return `g${own}-${random.below(ITEMS_PER_GENRE)}`;
}

/** What each user does, hour by hour of an own clock. */
function world(act: (user: number, random: Random, add: (event: Partial<Event>) => void) => void) {
  const events: Event[] = [];
  for (let user = 0; user < USERS; user++) {
    const random = seededRandom(user + 1);
    let ts = START + random.below(500) * HOUR;
    act(user, random, (event) => {
      ts += (1 + random.below(40)) * HOUR;
      events.push({ user_id: `u${user}`, item_id: '', ts, ...event });
    });
  }
  return events;
}

test('a context that tells what the history cannot counts in full, one that repeats the history counts less', async () => {
  // On the phone everyone takes genre 0, at the desk the genre of their taste.
  const telling = world((user, random, add) => {
    for (let n = 0; n < 14; n++) {
      const device = random.chance(0.5) ? 'phone' : 'desk';
      const genre = device === 'phone' ? 0 : 1 + (user % (GENRES - 1));
      add({ item_id: itemOf(genre, random), attributes: { device } });
    }
  });
  // Who has a phone has nothing else, and takes genre 0 all the time: the history says so already.
  const repeating = world((user, random, add) => {
    const genre = Math.floor(user / 2) % GENRES;
    const device = genre === 0 ? 'phone' : 'desk';
    for (let n = 0; n < 14; n++) {
      add({ item_id: itemOf(genre, random), attributes: { device } });
    }
  });
  const weightOf = async (events: Event[]) => {
    const { model } = await trainOn({ events, parameters: { repeats: 'exclude' } });
    return model.context!.weight!;
  };
  const [told, repeated] = [await weightOf(telling), await weightOf(repeating)];
  assert.ok(told > 0.7, `${told}`);
  assert.ok(repeated < told - 0.2, `${repeated} and ${told}`);
});

test('dislikes weigh what they foretell, and 0.3 where there are hardly any', async () => {
  // Users like two genres and lose one of them: what they dislike now is what they leave alone from then on.
  const foretelling = world((user, random, add) => {
    const [kept, lost] = [user % GENRES, (user + 1) % GENRES];
    for (let n = 0; n < 10; n++) add({ item_id: itemOf(n % 2 ? kept : lost, random) });
    for (let n = 0; n < 3; n++) add({ item_id: itemOf(lost, random), event_value: -1 });
    for (let n = 0; n < 4; n++) add({ item_id: itemOf(kept, random) });
  });
  // Who dislikes an item of a genre continues with others of it.
  const harmless = world((user, random, add) => {
    const genre = user % GENRES;
    for (let n = 0; n < 8; n++) add({ item_id: itemOf(genre, random) });
    for (let n = 0; n < 3; n++) add({ item_id: itemOf(genre, random), event_value: -1 });
    for (let n = 0; n < 4; n++) add({ item_id: itemOf(genre, random) });
  });
  const weightOf = async (events: Event[]) => {
    const { model } = await trainOn({ events, parameters: { repeats: 'exclude' } });
    const { dislikes } = model.settings as { dislikes: { weight: number; questions: number } };
    return { weight: model.dislikeWeight!, questions: dislikes.questions };
  };
  const strong = await weightOf(foretelling);
  const weak = await weightOf(harmless);
  assert.ok(strong.questions > 100 && weak.questions > 100);
  assert.ok(weak.weight < 0.05 && strong.weight > weak.weight + 0.1, JSON.stringify({ strong, weak }));
  const few = harmless.filter(({ user_id, event_value = 1 }) => event_value > 0 || user_id === 'u7');
  const unlearned = await weightOf(few);
  assert.ok(unlearned.questions <= 1 && Math.abs(unlearned.weight - 0.3) < 0.05, JSON.stringify(unlearned));
});
