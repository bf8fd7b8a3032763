// A real Chromium (from an npm package, so a bare machine needs nothing else) and a page that remembers everything a healthy
// console must not show: console errors, failed scripts, violations of the content security policy.
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { unpackChromium } from './unpack-chromium.ts';

export async function launchBrowser(): Promise<Browser> {
  // Not the package's own arguments: they are for tiny containers, run everything in one process and turn web security off.
  // No sandbox, because tests may run as root; software drawing, because there may be no graphics.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];
  return chromium.launch({ args, executablePath: await unpackChromium(), headless: true });
}

export interface WatchedPage extends Page {
  /** Errors the page has written or thrown so far. */
  readonly complaints: string[];
}

/** For what a job does. Jobs run at low priority: next to other busy processes they take many times as long as alone. */
export const JOB_TIMEOUT = { timeout: 300_000 };

export const DESKTOP = { width: 1280, height: 860 };
export const PHONE = { width: 390, height: 844 };

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return Object.assign(page, { complaints });
}
