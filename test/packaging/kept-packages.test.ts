// What a kept release was installed with is known, and what of it is not here is found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptReleases, missingPackages } from '../support/kept-release.ts';

test('of every kept release the versions of its packages are known', () => {
  assert.ok(keptReleases().length > 0);
  for (const release of keptReleases()) {
    const all = missingPackages(release, []);
    assert.ok(all.length > 50, release);
    const fastify = all.find((one) => one.startsWith('fastify@')) ?? '';
    assert.match(fastify, /^fastify@\d/, release);
    assert.deepEqual(missingPackages(release, [...all.filter((one) => one !== fastify), 'fastify@0.0.1']), [fastify]);
  }
});
