// What a list is for: objectives, touches, dislikes and events of a session, over HTTP, on every database.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { comparable } from '../support/comparable-response.ts';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, isOfKind, succeed, type TasteProject, tasteModel } from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

const DAY = 86_400_000;

interface Result {
  item: { item_id: string };
  filled?: boolean;
  score?: number;
  reasons?: Record<string, unknown>[];
}

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`objectives on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: TasteProject;
    let written = 0;

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({
        KINDRED_ROLES: 'api,worker',
        ...place.env,
      });
      project = await createTasteProject(service);
      const { modelId } = await plantModel(
        place,
        project,
        tasteModel({ typeWeights: { buy: 1, view: 0.3, cart: 0.6 } }),
      );
      await succeed(service, '/submit-deployment-job', {
        project_id: project.project_id,
        generator_model_id: modelId,
        qps: 10_000,
      });
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    type Did = { type?: string; item: string; days?: number; value?: number };
    const eventOf = ({ type = 'buy', item, days = 1, value = 1 }: Did) => ({
      item_id: item,
      event_type: type,
      event_value: value,
      ts: Date.now() - days * DAY,
    });
    const did = (user_id: string, ...events: Did[]) =>
      service.ok('POST', '/upsert-dataset-events', {
        event_dataset_id: project.event_dataset_id,
        events: events.map((event) => ({ event_id: `did-${++written}`, user_id, ...eventOf(event) })),
      });
    const recommend = (body: Record<string, unknown>) => service.ok('POST', '/recommend-items-to-user', body);
    const idsOf = ({ results }: { results: Result[] }) => results.map(({ item }) => item.item_id);
    const meetingOf = ({ results }: { results: Result[] }) =>
      idsOf({ results: results.filter(({ filled }) => !filled) });

    test('discover shows what is new: nothing viewed, carted or bought', async () => {
      await did('di', { item: 'i0' }, { type: 'view', item: 'i3' }, { type: 'cart', item: 'i6' });
      const response = await recommend({ user_id: 'di', objective: 'discover', limit: 60 });
      assert.equal(response.objective, 'discover');
      assert.equal(response.results.length, 60);
      assert.equal(meetingOf(response).length, 57);
      assert.deepEqual(new Set(idsOf(response).slice(57)), new Set(['i0', 'i3', 'i6']), 'the rest comes last, marked');
      assert.ok(isOfKind(idsOf(response)[0], 0));
    });

    test('an item that was only viewed is new again after touch_days, a bought one never', async () => {
      await did(
        'od',
        { item: 'i0', days: 400 },
        { type: 'view', item: 'i3', days: 100 },
        { type: 'view', item: 'i6', days: 80 },
      );
      const newItems = async (more = {}) => meetingOf(await recommend({ user_id: 'od', limit: 60, ...more }));
      assert.ok((await newItems()).includes('i3'));
      assert.ok(!(await newItems()).includes('i6'));
      assert.ok((await newItems({ touch_days: 70 })).includes('i6'));
      assert.ok(!(await newItems({ touch_days: 365 })).includes('i3'));
      assert.ok(!(await newItems({ touch_days: 1 })).includes('i0'));
    });

    test('continue shows what the user is not done with, the stronger and newer first', async () => {
      await did(
        'co',
        { type: 'view', item: 'i1', days: 1 },
        { type: 'cart', item: 'i4', days: 1 },
        { type: 'view', item: 'i7', days: 20 },
        { type: 'cart', item: 'i10', days: 3 },
        { type: 'buy', item: 'i10', days: 2 },
        { type: 'buy', item: 'i13', days: 9 },
        { type: 'view', item: 'i13', days: 3 },
      );
      const response = await recommend({ user_id: 'co', objective: 'continue', explain: true });
      assert.equal(response.objective, 'continue');
      assert.deepEqual(meetingOf(response), ['i4', 'i1', 'i13', 'i7'], 'bought since is done, viewed since is not');
      assert.equal(response.results.length, 10);
      const [{ score, reasons }] = response.results as Result[];
      assert.ok(Math.abs(score! - Math.log2(5) / 2) < 1e-3);
      assert.deepEqual(
        reasons!.map(({ kind, item_id, event_type, count }) => ({ kind, item_id, event_type, count })),
        [{ kind: 'continue', item_id: 'i4', event_type: 'cart', count: 1 }],
      );
      assert.equal(reasons![0].contribution, score);
    });

    test('again shows what the user had, the more often and the later first, and never what was only viewed', async () => {
      await did(
        'ag',
        ...[1, 30, 60].map((days) => ({ item: 'i2', days })),
        { item: 'i5', days: 2 },
        { item: 'i8', days: 300 },
        ...[1, 2, 3, 4].map((days) => ({ type: 'view', item: 'i11', days })),
      );
      const response = await recommend({ user_id: 'ag', objective: 'again', limit: 5, explain: true });
      assert.equal(response.objective, 'again');
      assert.deepEqual(meetingOf(response), ['i2', 'i5', 'i8']);
      assert.equal(response.results[0].reasons[0].count, 3);
      assert.ok(response.results[3].filled);
    });

    test('any may show everything', async () => {
      await did('an', { item: 'i0' }, { type: 'view', item: 'i3' });
      const response = await recommend({ user_id: 'an', objective: 'any', limit: 60 });
      assert.equal(response.objective, 'any');
      assert.equal(meetingOf(response).length, 60);
    });

    test('where nothing meets continue or again, the list follows discover and says so', async () => {
      await did('fa', { type: 'view', item: 'i0', days: 1 });
      for (const [user_id, objective] of [
        ['fa', 'again'],
        ['nobody', 'again'],
        ['nobody', 'continue'],
      ]) {
        const response = await recommend({ user_id, objective, limit: 5 });
        assert.equal(response.objective, 'discover');
        assert.equal(response.results.length, 5);
        assert.deepEqual(meetingOf(response), [], 'each result is marked: it is not what the call was for');
        assert.deepEqual(idsOf(response), idsOf(await recommend({ user_id, objective: 'discover', limit: 5 })));
      }
    });

    test('exclude_seen still forces bought items out or in, and exclude_event_types leaves out by type', async () => {
      await did('ex', { item: 'i0' }, { type: 'view', item: 'i3' }, { type: 'cart', item: 'i6', days: 500 });
      const all = async (more: object) => idsOf(await recommend({ user_id: 'ex', limit: 60, ...more }));
      assert.ok(!(await all({ objective: 'any', exclude_seen: true })).includes('i0'));
      const inside = await recommend({ user_id: 'ex', limit: 60, objective: 'discover', exclude_seen: false });
      assert.ok(meetingOf(inside).includes('i0') && !meetingOf(inside).includes('i3'));
      const objectives = ['discover', 'continue', 'again', 'any'];
      for (const objective of objectives) {
        const left = await all({ objective, exclude_event_types: ['cart', 'view'] });
        assert.equal(left.length, 58, objective);
        assert.ok(!left.includes('i3') && !left.includes('i6'));
      }
    });

    test('a disliked item never comes back, until the user does something positive with it', async () => {
      await did('dl', { item: 'i0', days: 9 }, { item: 'i3', days: 8 });
      await did('dl', { type: 'view', item: 'i6', days: 5, value: -1 }, { item: 'i3', days: 4, value: -1 });
      for (const objective of ['discover', 'continue', 'again', 'any']) {
        const list = idsOf(await recommend({ user_id: 'dl', objective, limit: 60 }));
        assert.equal(list.length, 58, objective);
        assert.ok(!list.includes('i3') && !list.includes('i6'));
      }
      await did('dl', { type: 'view', item: 'i6', days: 1 });
      assert.deepEqual(meetingOf(await recommend({ user_id: 'dl', objective: 'continue' })), ['i6']);
    });

    test('what is like a disliked item moves down', async () => {
      const kinds = async (user_id: string) => {
        const ids = idsOf(await recommend({ user_id, limit: 10 }));
        return ids.filter((id) => isOfKind(id, 1)).length;
      };
      await did('dn', { item: 'i1', days: 8 }, { item: 'i2', days: 9 });
      const before = await kinds('dn');
      await did('dn', ...['i4', 'i7', 'i10'].map((item) => ({ type: 'view', item, value: -1 })));
      assert.ok((await kinds('dn')) < before, `${before} were like it before`);
    });

    test('a purchase never puts that product first', async () => {
      for (let n = 0; n < 5; n++) {
        const [first] = idsOf(await recommend({ user_id: 'pl', objective: 'discover' }));
        await did('pl', { item: first, days: 0 });
        assert.ok(!idsOf(await recommend({ user_id: 'pl', objective: 'discover' })).includes(first));
      }
    });

    test('a filter holds for every objective', async () => {
      await did('fi', { type: 'view', item: 'i1' }, { type: 'view', item: 'i2' }, { item: 'i4' }, { item: 'i5' });
      const filter_query = "genre = 'Comedy'";
      for (const objective of ['discover', 'continue', 'again', 'any']) {
        const response = await recommend({ user_id: 'fi', objective, filter_query, limit: 60 });
        assert.equal(response.results.length, 20);
        for (const id of idsOf(response)) assert.ok(isOfKind(id, 1));
      }
      const again = await recommend({ user_id: 'fi', objective: 'again', filter_query });
      assert.deepEqual(meetingOf(again), ['i4']);
    });

    test('events of a session count exactly like the same events stored', async () => {
      const base: Did[] = [
        { item: 'i0', days: 30 },
        { type: 'view', item: 'i3', days: 20 },
      ];
      const session: Did[] = [
        { type: 'view', item: 'i1', days: 19 },
        { type: 'cart', item: 'i4', days: 3 },
        { item: 'i7', days: 2 },
        { type: 'view', item: 'i10', days: 1, value: -1 },
      ];
      await did('se-stored', ...base, ...session);
      await did('se-asked', ...base);
      const session_events = session.map(eventOf);
      for (const objective of ['auto', 'discover', 'continue', 'again', 'any']) {
        const stored = await recommend({ user_id: 'se-stored', objective, limit: 30 });
        const asked = await recommend({ user_id: 'se-asked', objective, limit: 30, session_events });
        assert.deepEqual({ ...comparable(asked), user_id: '' }, { ...comparable(stored), user_id: '' });
      }
      assert.deepEqual(
        meetingOf(await recommend({ user_id: 'se-asked', objective: 'again' })),
        ['i0'],
        'nothing is kept',
      );
    });

    test('a visitor without an id is served from the session, and the last of it counts as newest', async () => {
      const response = await recommend({ session_events: [{ item_id: 'i1' }, { item_id: 'i2' }], limit: 5 });
      assert.equal(response.user_id, null);
      assert.ok(!idsOf(response).includes('i1') && !idsOf(response).includes('i2'));
      assert.ok(isOfKind(idsOf(response)[0], 2), `${idsOf(response)} follow i2`);
      const open = await recommend({ session_events: [{ item_id: 'i1' }], objective: 'continue' });
      assert.deepEqual(meetingOf(open), ['i1'], 'without a type it is a view');
      const first = await recommend({ session_events: [], limit: 5 });
      assert.equal(first.results.length, 5, 'a visitor who has done nothing yet');
      const { status, body } = await service.call('POST', '/recommend-items-to-user', { limit: 5 });
      assert.equal(status, 400);
      assert.equal(body.errors[0].pointer, '/user_id');
    });

    test('a context the model knows nothing of is ignored, and a warning says so', async () => {
      const plain = await recommend({ user_id: 'u1' });
      const told = await recommend({ user_id: 'u1', context: { weather: 'rain', device: ['phone'] } });
      assert.deepEqual(
        told.warnings.map(({ code }: { code: string }) => code),
        ['UNKNOWN_CONTEXT', 'UNKNOWN_CONTEXT'],
      );
      assert.match(told.warnings[0].message, /context\.weather was ignored/);
      assert.deepEqual(told.results, plain.results);
      assert.equal('warnings' in plain, false);
    });

    test('what cannot be meant is refused, and the field is named', async () => {
      const session = Array.from({ length: 201 }, () => ({ item_id: 'i1' }));
      for (const [more, pointer] of [
        [{ objective: 'surprise' }, '/objective'],
        [{ touch_days: 0 }, '/touch_days'],
        [{ session_events: session }, '/session_events'],
        [{ session_events: [{ item_id: 'i1', event_value: 'a' }] }, '/session_events/0/event_value'],
        [{ session_events: [{ event_type: 'view' }] }, '/session_events/0/item_id'],
        [{ exclude_event_types: 'view' }, '/exclude_event_types'],
        [{ context: 'phone' }, '/context'],
      ] as const) {
        const { status, body } = await service.call('POST', '/recommend-items-to-user', { user_id: 'u1', ...more });
        assert.equal(status, 400, JSON.stringify(body));
        assert.equal(body.errors[0].pointer, pointer);
      }
    });

    test('of a user with more than 10,000 events the newest 10,000 count, and what came before is forgotten', async () => {
      const { event_dataset_id } = project;
      const events = Array.from({ length: 10_002 }, (_, n) => ({
        event_id: `many-${n}`,
        user_id: 'many',
        item_id: n < 2 ? 'i0' : n % 2 === 0 ? 'i3' : 'i6',
        event_type: n === 0 ? 'buy' : 'view',
        ts: Date.now() - 20_000_000 + n,
      }));
      for (let from = 0; from < events.length; from += 1000) {
        await service.ok('POST', '/upsert-dataset-events', {
          event_dataset_id,
          events: events.slice(from, from + 1000),
        });
      }
      const response = await recommend({ user_id: 'many', objective: 'discover', limit: 60 });
      assert.deepEqual(new Set(idsOf(response).slice(58)), new Set(['i3', 'i6']));
      assert.ok(meetingOf(response).includes('i0'), 'bought before the events that are read');
      const again = await recommend({ user_id: 'many', objective: 'again', limit: 5 });
      assert.equal(again.objective, 'discover');
    });

    test('an objective holds for placements of every kind', async () => {
      await did('knower', { type: 'view', item: 'i59' });
      const { project_id, serving_uri } = project;
      const defaults = { objective: 'discover', limit: 100 };
      await service.ok('POST', '/create-placement', { project_id, name: 'newest-to-me', kind: 'newest', defaults });
      const path = `${new URL(serving_uri).pathname}/placements/newest-to-me`;
      const response = await service.ok('POST', path, { user_id: 'knower' });
      assert.equal(response.objective, 'discover');
      const filled = response.results.filter((result: Result) => result.filled);
      assert.deepEqual(idsOf({ results: filled }), ['i59']);
      assert.equal(idsOf(response).at(-1), 'i59');
    });

    test('times in the future, huge values and unknown items and types do no harm', async () => {
      await did(
        'od-1',
        { item: 'i0', days: -5000, value: 1e30 },
        { type: 'view', item: 'i3', days: -5000, value: 1e308 },
        { type: 'never heard of', item: 'i6' },
        { item: 'no such item' },
      );
      const session_events = [{ item_id: 'i9', event_type: 'view', event_value: 1e30, ts: 8.64e15 }];
      for (const objective of ['discover', 'continue', 'again', 'any']) {
        const response = await recommend({ user_id: 'od-1', objective, session_events, limit: 60, explain: true });
        assert.equal(response.results.length, 60);
        for (const { score } of response.results as Result[]) assert.ok(Number.isFinite(score));
      }
      assert.deepEqual(meetingOf(await recommend({ user_id: 'od-1', objective: 'again' })), ['i0']);
    });
  });
}
