import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plantedProject } from '../../../test/support/planted-project.ts';
import { KernelPool } from '../../kernels/kernel-pool.ts';
import { Opened } from '../../pieces/opened.ts';
import { openModel } from '../insight-run.ts';
import { GroupShares } from './group-shares.ts';

test('a distribution that is not kept is computed again, and is the same', async () => {
  const planted = await plantedProject({
    groups: 2,
    usersPerGroup: 10,
    itemsPerGroup: 20,
    eventsPerUser: 8,
    loyalty: 0.8,
  });
  const pool = new KernelPool(1);
  try {
    const run = await planted.run('CLUSTERING', {});
    const { model, recommender, catalog, project } = await openModel(
      { ...run, opened: new Opened() },
      run.job.job_data.model_id as string,
    );
    let reads = 0;
    const events = {
      history: (...args: Parameters<typeof run.store.events.history>) => {
        reads++;
        return run.store.events.history(...args);
      },
    };
    const sharesOf = (keptBytes?: number) =>
      GroupShares.create({
        pool,
        model,
        layout: recommender.itemLayout,
        listed: recommender.listed(),
        itemCount: catalog.itemCount,
        samples: [['u-0-0', 'u-0-2'], ['u-1-1']],
        events,
        eventDatasetId: project.event_dataset_id,
        nowMs: run.runtime.nowMs(),
        signal: run.signal,
        keptBytes,
      });
    const [keeps, forgets] = [await sharesOf(), await sharesOf(0)];
    const kept = [await keeps.of(0), await keeps.of(1)];
    assert.equal(reads, 3);
    assert.equal(await keeps.of(0), kept[0]);
    assert.equal(reads, 3);
    for (const group of [0, 1, 0]) assert.deepEqual(await forgets.of(group), kept[group]);
    assert.equal(reads, 8);
    for (const share of kept) assert.ok(Math.abs(share.reduce((sum, one) => sum + one, 0) - 1) < 1e-5);
  } finally {
    await pool.close();
    await planted.close();
  }
});
