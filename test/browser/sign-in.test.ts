// Signing in and out, and what happens when a session ends by itself.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { assertAccessible } from './axe.ts';
import { launchBrowser, openPage, PHONE } from './browser.ts';
import { open, signIn } from './signed-in.ts';

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

test('a wrong secret is refused with what to do, the right one signs in, and signing out forgets the token', async () => {
  const page = await openPage(browser);
  await page.goto(service.baseUrl);
  assert.match(page.url(), /\/console\/$/);
  await page.getByLabel('API key').fill(service.credentials.api_key);
  await page.getByLabel('Client secret').fill('wrong');
  await assertAccessible(page, 'the sign-in page');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Check the API key and the client secret').waitFor();
  // The browser itself reports the refused call.
  page.complaints.length = 0;
  await page.getByLabel('Client secret').fill(service.credentials.client_secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Welcome to Kindred' }).waitFor();
  await assertAccessible(page, 'the welcome page');

  const stored = String(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })'));
  assert.ok(!stored.includes(service.credentials.client_secret), 'the secret is not kept');
  await page.reload();
  await page.getByRole('heading', { name: 'Welcome to Kindred' }).waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Client secret').waitFor();
  assert.equal(await page.evaluate('sessionStorage.length'), 0);
  assert.deepEqual(page.complaints, []);
});

test('the one-time link signs in once and disappears from the address', async () => {
  const code = /#signin=([\w-]+)/.exec(service.greeting())?.[1] ?? '';
  const page = await openPage(browser);
  await page.goto(`${service.baseUrl}/console/#signin=${code}`);
  await page.getByRole('heading', { name: 'Welcome to Kindred' }).waitFor();
  assert.ok(!page.url().includes(code));
  assert.deepEqual(page.complaints, []);

  const second = await openPage(browser);
  await second.goto(`${service.baseUrl}/console/#signin=${code}`);
  await second.getByText('The one-time link no longer works').waitFor();
});

test('an expired token leads to the sign-in page and, after it, back to the same place', async () => {
  const page = await openPage(browser);
  await signIn(page, service);
  await open(page, '/account');
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await page.evaluate(`{
    const session = JSON.parse(sessionStorage.getItem('kindred-session'));
    sessionStorage.setItem('kindred-session', JSON.stringify({ ...session, accessToken: session.accessToken.slice(0, -4) + 'AAAA' }));
  }`);
  await page.reload();
  await page.getByText('Your sign-in has ended').waitFor();
  page.complaints.length = 0;
  await page.getByLabel('API key').fill(service.credentials.api_key);
  await page.getByLabel('Client secret').fill(service.credentials.client_secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  assert.deepEqual(page.complaints, []);
});

test('a service on this machine is used while the browser says that it is offline', async () => {
  const page = await openPage(browser);
  await signIn(page, service);
  await page.evaluate(`dispatchEvent(new Event('offline'))`);
  await open(page, '/account');
  await page.getByRole('row', { name: /this session/ }).waitFor();
  assert.deepEqual(page.complaints, []);
});

test('on a phone the menu opens, leads on and closes, by keyboard too', async () => {
  const page = await openPage(browser, { viewport: PHONE, colorScheme: 'dark' });
  await signIn(page, service);
  await page.getByRole('button', { name: 'Menu' }).press('Enter');
  const menu = page.getByRole('dialog', { name: 'Menu' });
  await menu.getByRole('link', { name: 'Datasets' }).press('Enter');
  await page.getByRole('heading', { name: 'Datasets' }).waitFor();
  await menu.waitFor({ state: 'detached' });
  await assertAccessible(page, 'datasets on a phone in the dark');
  assert.equal(
    await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
    true,
    'nothing scrolls sideways',
  );
  assert.deepEqual(page.complaints, []);
});

test('the page is served under a policy without inline script or style, and its first load is small', async () => {
  const page = await openPage(browser);
  let bytes = 0;
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const response = await page.goto(`${service.baseUrl}/console/`);
  await page.getByLabel('API key').waitFor();
  const policy = response?.headers()['content-security-policy'] ?? '';
  assert.match(policy, /script-src 'self'/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.ok(bytes < 300_000, `${bytes} bytes`);
  assert.deepEqual(page.complaints, []);
});
