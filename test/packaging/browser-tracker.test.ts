// The tracker stays small: what a page loads is under 3 kB.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { BROWSER_FILE, buildBrowser } from '../../scripts/build-browser.ts';

test('tracker and element together are under 3 kB compressed and need nothing else', async () => {
  await buildBrowser();
  const script = readFileSync(BROWSER_FILE);
  const bytes = gzipSync(script, { level: 9 }).length;
  assert.ok(bytes < 3000, `${bytes} bytes`);
  assert.doesNotMatch(script.toString(), /^import |from ["']/m);
  assert.doesNotMatch(script.toString(), /document\.cookie|innerHTML|eval\(/);
});
