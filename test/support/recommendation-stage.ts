// Places with a model and users, and what runs a recommendation job there.

import { JOB_HANDLERS } from '../../src/jobs/handlers/index.ts';
import type { JobContext } from '../../src/jobs/job-handler.ts';
import { type JobPlace, jobPlaces, parsedLines } from './job-run.ts';
import { plantModel } from './plant-model.ts';
import { makeEvent } from './store-fixtures.ts';
import { tasteEvents, tasteModel } from './taste-project.ts';

/** Of whom each has had all items of a kind but one. */
export const PEOPLE = ['u0', 'u1', 'u2', 'u3'];

export type RecommendationPlace = Awaited<ReturnType<typeof staged>>;

/** A store for the tests of a file. Returns what makes a place in it. */
export function recommendationPlaces(): () => Promise<RecommendationPlace> {
  const newPlace = jobPlaces();
  return async () => staged(await newPlace());
}

/** Users u0 to u3 with events, u9 with a record alone. */
async function staged(place: JobPlace) {
  const { store, dataDir, project } = place;
  const { account_id, user_dataset_id, event_dataset_id } = project;
  await store.users.upsert((await store.datasets.get(account_id, 'user', user_dataset_id))!, [
    { id: 'u9', attributes: { kind: 'new' } },
  ]);
  const known = tasteEvents().filter(({ user }) => PEOPLE.includes(user));
  await store.events.upsert(
    (await store.datasets.get(account_id, 'event', event_dataset_id))!,
    known.map(({ user, item }, n) =>
      makeEvent({ event_id: `e${n}`, ts: n + 1, user_id: user, item_id: item, event_type: 'buy' }),
    ),
  );
  const { modelId } = await plantModel({ dataDir }, project, tasteModel());
  const data = {
    model_id: modelId,
    model_given: true,
    ranker_model_id: null,
    users: { all: true },
    placement: null,
    limit: 1,
    objective: 'discover',
    filter_query: null,
    filter_params: {},
    exclude_event_types: [],
    attributes: null,
    format: 'jsonl',
    destination: null,
  };
  const recommend = await JOB_HANDLERS.RECOMMENDATION();
  const ask = (change: object = {}, context: Partial<JobContext> = {}) =>
    place.run(recommend, 'RECOMMENDATION', { ...data, ...change }, context);
  const lists = async () => parsedLines((await place.takeResult()).jsonl);
  return { ...place, data, ask, lists };
}
