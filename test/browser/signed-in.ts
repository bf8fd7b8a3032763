// Steps every browser test begins with.
import type { ApiCaller } from '../support/service.ts';
import type { WatchedPage } from './browser.ts';

export async function signIn(
  page: WatchedPage,
  service: Pick<ApiCaller, 'baseUrl' | 'credentials'>,
  search = '',
): Promise<void> {
  await page.goto(`${service.baseUrl}/console/${search}`);
  await page.getByLabel('API key').fill(service.credentials.api_key);
  await page.getByLabel('Client secret').fill(service.credentials.client_secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
  await page.getByLabel('Client secret').waitFor({ state: 'detached' });
}

/** Resolves when what the last event changed is on the screen: movements of a pointer are drawn after they are acknowledged. */
export async function drawn(page: WatchedPage): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** Goes to a page by its address, as a bookmark would. The heading of the page before is gone when the change was heard. */
export async function open(page: WatchedPage, path: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const hash = ${JSON.stringify(`#${path}`)};
    if (location.hash === hash) return resolve();
    addEventListener('hashchange', () => setTimeout(resolve), { once: true });
    location.hash = hash;
  })`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}
