// Steps every browser test begins with.
import type { ApiCaller } from '../support/service.ts';
import type { WatchedPage } from './browser.ts';

export async function signIn(page: WatchedPage, service: ApiCaller, search = ''): Promise<void> {
  await page.goto(`${service.baseUrl}/console/${search}`);
  await page.getByLabel('API key').fill(service.credentials.api_key);
  await page.getByLabel('Client secret').fill(service.credentials.client_secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
  await page.getByLabel('Client secret').waitFor({ state: 'detached' });
}

/** Goes to a page by its address, as a bookmark would. */
export async function open(page: WatchedPage, path: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#${path}`)}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}
