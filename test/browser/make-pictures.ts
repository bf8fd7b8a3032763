// `npm run pictures`: the pictures of the README, in docs/images, from a demo of its own.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Kindred } from '../../src/client/index.ts';
import { type Demo, startDemo } from '../support/start-demo.ts';
import { launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { open, signIn } from './signed-in.ts';

const IMAGES = join(import.meta.dirname, '../../docs/images');
const VIEWPORT = { width: 1280, height: 900 };
/** Dots per pixel of the page: sharp on screens that have two. */
const SHARPNESS = 2;
const STILL_MS = 2000;

/** Once nothing changes anymore: names, pictures and fonts come after the page. */
async function takePicture(page: WatchedPage, name: string): Promise<void> {
  let picture = await page.screenshot();
  for (let isStill = false; !isStill; ) {
    await delay(STILL_MS);
    const next = await page.screenshot();
    isStill = next.equals(picture);
    picture = next;
  }
  writeFileSync(join(IMAGES, `${name}.png`), picture);
  if (page.complaints.length > 0) throw new Error(page.complaints.join('\n'));
}

async function findGroups(kindred: Kindred, project_id: string, model_id: string): Promise<string> {
  const { job_id } = await kindred.submitClusteringJob({ project_id, model_id, cluster_type: 'user', parameters: {} });
  await kindred.waitForJob({ project_id, job_id });
  return job_id;
}

async function takeConsolePictures(page: WatchedPage, demo: Demo): Promise<void> {
  const { projects } = await demo.kindred.listProjects({});
  const [{ project_id }] = projects;
  const { models } = await demo.kindred.listModels({ project_id });
  const [{ model_id }] = models;
  const groups = await findGroups(demo.kindred, project_id, model_id);
  await signIn(page, demo);
  await open(page, `/insight/${project_id}/${groups}`);
  await page.getByRole('heading', { name: 'Map' }).waitFor();
  await takePicture(page, 'console-groups');
  await open(page, `/projects/${project_id}/models/${model_id}`);
  await page.getByRole('heading', { name: 'What the figures mean' }).waitFor();
  await takePicture(page, 'console-model');
  await open(page, `/playground/${project_id}/viewer-00146`);
  await page.getByText('because of').first().waitFor();
  await takePicture(page, 'console-playground');
}

async function takeShopPicture(page: WatchedPage, { baseUrl }: Demo): Promise<void> {
  await page.goto(`${baseUrl}/demo/`);
  const forYou = page.getByRole('region', { name: 'For you' });
  await forYou.getByRole('link').nth(1).click();
  await page.getByRole('region', { name: 'Similar films' }).waitFor();
  await page.getByRole('link', { name: 'Lantern', exact: true }).click();
  await page.getByRole('region', { name: 'Continue' }).waitFor();
  await takePicture(page, 'demo-shop');
}

const demo = await startDemo('full');
const browser = await launchBrowser();
try {
  const newPage = () => openPage(browser, { viewport: VIEWPORT, deviceScaleFactor: SHARPNESS, locale: 'en-US' });
  await takeConsolePictures(await newPage(), demo);
  await takeShopPicture(await newPage(), demo);
} finally {
  await browser.close();
  demo.child.kill('SIGINT');
}
