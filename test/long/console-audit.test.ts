// The audit log in the console.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { assertAccessible } from '../browser/axe.ts';
import { launchBrowser, openPage } from '../browser/browser.ts';
import { open, signIn } from '../browser/signed-in.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';

let browser: Browser;
let service: ServiceProcess;

before(async () => {
  browser = await launchBrowser();
  service = await startServiceProcess();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

test('changes are listed with who, what and when, and can be narrowed to an operation', async () => {
  await service.ok('POST', '/create-user-dataset', { name: 'readers' });
  const { key_id } = await service.ok('POST', '/create-api-key', { name: 'ci', expires_ts: Date.now() + 3_600_000 });
  const page = await openPage(browser);
  await signIn(page, service);
  await open(page, '/account');
  await page.getByText('Active until').waitFor();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  await page.getByRole('cell', { name: '/create-user-dataset' }).waitFor();
  await page.getByRole('cell', { name: key_id }).waitFor();
  await assertAccessible(page, 'the audit log');
  await page.getByLabel('Operation').fill('/create-api-key');
  await page.getByRole('cell', { name: '/create-user-dataset' }).waitFor({ state: 'detached' });
  await page.getByRole('cell', { name: 'name: "ci"' }).waitFor();
  assert.deepEqual(page.complaints, []);
});
