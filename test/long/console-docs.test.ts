// The API reference at /docs: readable, in the console's look, in both color schemes and without breaking its policy.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { assertAccessible, assertContrast } from '../browser/axe.ts';
import { launchBrowser, openPage, PHONE } from '../browser/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';

const LOOK = `(() => {
  const body = getComputedStyle(document.body);
  const heading = getComputedStyle(document.querySelector('h1'));
  return [body.backgroundColor, body.color, body.fontFamily, heading.fontFamily];
})()`;

let service: TestService;
let browser: Browser;

before(async () => {
  [service, browser] = await Promise.all([startTestService(), launchBrowser()]);
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the API reference has the colors and fonts of the console (${colorScheme})`, async () => {
    const page = await openPage(browser, { colorScheme });
    const lookOf = async (path: string) => {
      await page.goto(`${service.baseUrl}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.evaluate('document.fonts.ready');
      return page.evaluate(LOOK);
    };
    const reference = await lookOf('/docs');
    // The whole page has 20,000 elements: the second scheme differs in colors alone.
    if (colorScheme === 'light') await assertAccessible(page, 'the API reference (light)');
    else await assertContrast(page, 'the API reference (dark)');
    assert.deepEqual(await lookOf('/docs/errors'), reference);
    assert.deepEqual(await lookOf('/console/'), reference);
    assert.deepEqual(page.complaints, []);
  });
}

test('the API reference does not scroll sideways on a phone', async () => {
  const page = await openPage(browser, { viewport: PHONE });
  await page.goto(`${service.baseUrl}/docs`);
  assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= PHONE.width);
  assert.deepEqual(page.complaints, []);
});
