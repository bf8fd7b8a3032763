import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kindred } from '../client/index.ts';
import { findOrCreateProject } from './import-target.ts';

async function* projects() {
  yield { project_id: 'prj_1', name: 'news', target_event_type: 'view' };
}

/** Creates nothing: a call that would is an error. */
const kindred = { iterateProjects: projects } as unknown as Kindred;

test('a target event unlike that of the project is refused with both names', async () => {
  await assert.rejects(findOrCreateProject(kindred, 'news', { given: 'play', guessed: 'read' }, []), {
    name: 'UsageError',
    message: /--target-event is play, but the target event of the project news is view/,
  });
  for (const given of ['view', undefined]) {
    const { created } = await findOrCreateProject(kindred, 'news', { given, guessed: 'read' }, []);
    assert.equal(created, false);
  }
});

test('a project is not created from files that do not tell its target event', async () => {
  await assert.rejects(findOrCreateProject(kindred, 'films', { given: undefined, guessed: null }, []), {
    name: 'UsageError',
    message: /Add --target-event/,
  });
});
