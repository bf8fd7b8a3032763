import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { DAY_MS } from '../../src/base/durations.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { MIN_COMPARED_USERS, type Rival } from '../../src/training/compare-models.ts';
import { type Trained, trainOn } from '../support/train-on.ts';

const START = Date.UTC(2026, 0, 1);
const KINDS = 4;
const USERS = 160;
const ITEMS = 240;
const DAYS = 30;
const CUT = START + 20 * DAY_MS;

/** Every user buys an item every other day, of the own kind where tastes exist. */
function shop(hasTastes: boolean) {
  const { next: random } = seededRandom(11);
  const events = [];
  for (let day = 0; day < DAYS; day++) {
    for (let user = 0; user < USERS; user++) {
      if ((day + user) % 2 === 0) continue;
      const drawn = Math.floor(random() * ITEMS);
      const item = hasTastes ? drawn - (drawn % KINDS) + (user % KINDS) : drawn;
      events.push({ user_id: `u${user}`, item_id: `i${item}`, ts: START + day * DAY_MS + user * 1000 });
    }
  }
  return events;
}

const older = (events: ReturnType<typeof shop>) => events.filter(({ ts }) => ts < CUT);
const rivalOf = ({ model, training }: Trained): Rival => ({
  modelId: 'mdl_old',
  model,
  trainedUntilMs: training.trained_until_ts,
});

describe('comparing a new model with the deployed one', () => {
  const events = shop(true);
  let deployed: Trained;
  before(async () => {
    deployed = await trainOn({ events: older(events) });
  });

  test('a model says up to which time it has seen events, and how many', () => {
    assert.ok(deployed.training.trained_until_ts < CUT && deployed.training.trained_until_ts > CUT - DAY_MS);
    assert.equal(deployed.training.events_read, older(events).length);
    assert.equal(deployed.comparison, null);
  });

  test('a model of the same kind with newer events is not worse', async () => {
    const { comparison } = await trainOn({ events, rival: rivalOf(deployed) });
    assert.notEqual(comparison?.verdict, 'worse');
    assert.equal(comparison?.compared_model_id, 'mdl_old');
    assert.ok(comparison!.users >= MIN_COMPARED_USERS);
    assert.ok(comparison!.since_ts! > CUT);
    const [low, high] = comparison!.interval!;
    assert.ok(low <= comparison!.difference! && comparison!.difference! <= high);
  });

  test('a model that only knows what is popular is worse, and the other way round better', async () => {
    const parameters = { experts: ['popularity' as const] };
    const poor = await trainOn({ events, parameters, rival: rivalOf(deployed) });
    assert.equal(poor.comparison?.verdict, 'worse', JSON.stringify(poor.comparison));
    const poorBefore = await trainOn({ events: older(events), parameters });
    const rich = await trainOn({ events, rival: rivalOf(poorBefore) });
    assert.equal(rich.comparison?.verdict, 'better', JSON.stringify(rich.comparison));
  });

  test('remembering the events in question is no advantage', async () => {
    const chance = shop(false);
    const rival = rivalOf(await trainOn({ events: older(chance) }));
    const { comparison } = await trainOn({ events: chance, rival });
    assert.ok(comparison!.ndcg! < 0.1, JSON.stringify(comparison));
    assert.notEqual(comparison!.verdict, 'better', JSON.stringify(comparison));
  });

  test('a clock of events that is hours ahead makes no question of what the deployed model has learned', async () => {
    const hourMs = DAY_MS / 24;
    const spread = events.map((event, n) => ({ ...event, ts: event.ts + ((n * 5) % 24) * hourMs }));
    const storedAt = (nowMs: number) =>
      spread.filter(({ ts }) => ts <= nowMs).map((event) => ({ ...event, ts: event.ts + 9 * hourMs }));
    const first = await trainOn({ events: storedAt(CUT), nowMs: CUT });
    assert.ok(Math.abs(first.training.trained_until_ts - CUT - 9 * hourMs) < 2 * hourMs);
    const later = CUT + DAY_MS;
    const { comparison } = await trainOn({ events: storedAt(later), nowMs: later, rival: rivalOf(first) });
    assert.ok(comparison!.users >= MIN_COMPARED_USERS);
    assert.notEqual(comparison!.verdict, 'worse', JSON.stringify(comparison));
  });

  test('too few users with new events are said to be too few', async () => {
    const few = [...older(events), ...events.filter(({ ts }) => ts >= CUT).slice(0, 20)];
    const { comparison } = await trainOn({ events: few, rival: rivalOf(deployed) });
    assert.equal(comparison?.verdict, 'too_few_users');
    assert.equal(comparison?.interval, null);
  });
});
