// People sign in to the console with a real OpenID provider, which is another site for the browser, and see what their role may do.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { assertAccessible } from '../browser/axe.ts';
import { launchBrowser, openPage, type WatchedPage } from '../browser/browser.ts';
import { open } from '../browser/signed-in.ts';
import { createEmptyProject } from '../support/empty-project.ts';
import { CLIENT, type OpenIdServer, startOpenIdServer } from '../support/openid-provider.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';

let browser: Browser;
let provider: OpenIdServer;
let service: ServiceProcess;

before(async () => {
  browser = await launchBrowser();
  provider = await startOpenIdServer('localhost');
  service = await startServiceProcess({
    KINDRED_OIDC_ISSUER: provider.issuer,
    KINDRED_OIDC_CLIENT_ID: CLIENT.id,
    KINDRED_OIDC_CLIENT_SECRET: CLIENT.secret,
    KINDRED_OIDC_ADMINS: 'ann@example.com',
    KINDRED_OIDC_VIEWERS: 'vic@example.com',
  });
  provider.allow(service.baseUrl);
  await createEmptyProject(service);
});
after(async () => {
  await browser?.close();
  await service?.stop();
  await provider?.stop();
});

async function signInAs(person: string, path: string): Promise<WatchedPage> {
  const page = await openPage(browser);
  // The provider's own pages want a font from the internet: without this they wait for it as long as name servers do.
  const isElsewhere = ({ hostname }: URL) => hostname !== 'localhost' && hostname !== '127.0.0.1';
  await page.route(isElsewhere, (route) => route.abort());
  await page.goto(`${service.baseUrl}/console/#${path}`);
  await page.getByRole('link', { name: 'Sign in with your organization' }).click();
  await page.getByPlaceholder('Enter any login').fill(person);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(`${service.baseUrl}/console/**`);
  // Of the provider's own pages, for the font they did not get.
  page.complaints.length = 0;
  return page;
}

test('a viewer returns to their page, sees who they are, and cannot press what their role does not cover', async () => {
  const page = await signInAs('vic@example.com', '/projects');
  await page.getByRole('main').getByRole('heading', { name: 'Projects' }).waitFor();
  assert.match(page.url(), /\/console\/#\/projects$/);
  await page.getByText('vic@example.com (viewer)').first().waitFor();
  const create = page.getByRole('button', { name: 'New project' });
  await create.waitFor();
  assert.ok(await create.isDisabled());
  await page.getByTitle('Your role is viewer, which does not cover this. Ask an admin.').first().waitFor();
  await assertAccessible(page, 'the projects page of a viewer');

  await open(page, '/account');
  await page.getByRole('heading', { name: 'Plan and usage' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'API keys' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Audit log' }).count(), 0);

  const cookies = await page.context().cookies(service.baseUrl);
  const session = cookies.find(({ name }) => name === 'kindred-session');
  assert.deepEqual([session?.httpOnly, session?.sameSite], [true, 'Strict']);
  assert.equal(await page.evaluate('document.cookie'), '');
  assert.equal(await page.evaluate('sessionStorage.length'), 0);

  await page.reload();
  await page.getByText('vic@example.com (viewer)').first().waitFor();
  // On a slow line, too: who reads that they are signed out and leaves is signed out.
  await page.route('**/console/sign-out', async (route) => {
    await setTimeout(500);
    await route.continue();
  });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in with your organization' }).waitFor();
  await page.reload();
  await page.getByLabel('Client secret').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('an admin changes things under their name, sees who is signed in, and signs others out', async () => {
  const other = await signInAs('vic@example.com', '/projects');
  await other.getByText('vic@example.com (viewer)').first().waitFor();
  const page = await signInAs('ann@example.com', '/account');
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('made by ann');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'I have copied them' }).click();

  await page.getByRole('button', { name: 'End the session of vic@example.com' }).click();
  await page.getByRole('button', { name: 'End the session', exact: true }).click();
  await page.getByText('Session ended').waitFor();
  await assertAccessible(page, 'the account page with people');
  await other.reload();
  await other.getByRole('link', { name: 'Sign in with your organization' }).waitFor();

  await open(page, '/audit');
  const row = page.getByRole('row').filter({ hasText: '/create-api-key' });
  await row.getByText('ann@example.com').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('who has no role is told so, and the sign-in with a key still works there', async () => {
  const page = await signInAs('eve@elsewhere.org', '/projects');
  await page.getByRole('alert').getByText('Your account has no role here').waitFor();
  await assertAccessible(page, 'the sign-in page with a failure');
  await page.getByLabel('API key').fill(service.credentials.api_key);
  await page.getByLabel('Client secret').fill(service.credentials.client_secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Client secret').waitFor({ state: 'detached' });
  assert.deepEqual(page.complaints, []);
});
