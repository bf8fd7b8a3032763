import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KindredError } from '../client/index.ts';
import type { CommandContext } from './command.ts';
import { type ReportFlags, report } from './report.ts';

async function printed(getPlacement: () => Promise<unknown>): Promise<string> {
  const texts: string[] = [];
  const projects = [{ project_id: 'prj_1', name: 'films' }];
  const kindred = {
    iterateProjects: async function* () {
      yield* projects;
    },
    getPlacementReport: async () => ({ totals: [], rows: [] }),
    getPlacement,
  };
  const flags = { placement: 'home', days: 7, by: 'total' };
  const speaker = { result: (_: unknown, view: () => string) => texts.push(view()) };
  await report({ flags, kindred: () => kindred, speaker } as unknown as CommandContext<ReportFlags>);
  return texts.join();
}

const refused = (code: string) => () => Promise.reject(new KindredError('No.', { code, status: 403 }));

test('a placement without figures is looked for, if the key may', async () => {
  assert.equal(await printed(async () => ({})), 'No recommendations in this time.');
  assert.equal(await printed(refused('INSUFFICIENT_SCOPE')), 'No recommendations in this time.');
  await assert.rejects(printed(refused('PLACEMENT_NOT_FOUND')), { code: 'PLACEMENT_NOT_FOUND' });
});
