import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionOf } from '../../../test/support/filled-account.ts';
import { jobPlaces } from '../../../test/support/job-run.ts';
import { newId } from '../../../test/support/new-ids.ts';
import type { Experiment } from '../../domain/experiment.ts';
import { markedPlacement, markPlacement } from './job-placement.ts';

const newPlace = jobPlaces();

async function stage() {
  const { store, project } = await newPlace();
  const { account_id, project_id } = project;
  const named = { accountId: account_id, projectId: project_id, name: 'home' };
  await store.placements.create({ account_id, project_id, name: 'home', created_ts: 1, current: versionOf(1) });
  return { store, project, named };
}

test('a marked placement stays as it was, with the experiment that ran', async () => {
  const { store, project, named } = await stage();
  const experiment: Experiment = {
    account_id: project.account_id,
    project_id: project.project_id,
    experiment_id: newId('experiment'),
    name: 'test',
    placement: 'home',
    metric: 'click',
    min_days: 7,
    status: 'RUNNING',
    created_ts: 1,
    variants: ['today', 'new'].map((name) => ({ name, share: 1, overrides: {} })),
    stopped_ts: null,
    promoted: null,
    decided: null,
  };
  await store.experiments.create(experiment);
  const mark = await markPlacement(store, project, 'home');
  assert.deepEqual(mark, { version: 1, experiment_id: experiment.experiment_id });
  await store.experiments.stop(experiment, { nowMs: 2, promote: null });
  await store.placements.change(named, versionOf(2));
  const { current, experiment: kept } = await markedPlacement(store, project, 'home', mark);
  assert.deepEqual([current, kept?.variants], [versionOf(1), experiment.variants]);
  assert.deepEqual(await markPlacement(store, project, 'home'), { version: 2, experiment_id: null });
});

test('a placement that is gone fails the job, before it began or after', async () => {
  const { store, project, named } = await stage();
  const mark = await markPlacement(store, project, 'home');
  assert.equal((await markedPlacement(store, project, 'home', mark)).experiment, null);
  await store.placements.delete(named);
  await assert.rejects(markedPlacement(store, project, 'home', mark), {
    code: 'PLACEMENT_NOT_FOUND',
    message: 'Version 1 of placement home was deleted while the job ran. Submit the job again.',
  });
  await assert.rejects(markPlacement(store, project, 'home'), {
    code: 'PLACEMENT_NOT_FOUND',
    message: 'Placement home was deleted before the job ran.',
  });
});
