// Accessibility checks by axe-core inside the page. Its source is evaluated through the debugger, so the page's own content
// security policy stays in force. Left out is the component kit's announcer: it names a button that was pressed for some
// seconds after the button has gone with its page.
import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

export async function assertAccessible(page: Page, where: string): Promise<void> {
  await assertNoViolations(
    page,
    where,
    "axe.run({ exclude: ['[data-live-announcer]'] }, { resultTypes: ['violations'] })",
  );
}

/** One text of each color, size, weight and background: texts that look the same have the same contrast. */
const TEXTS_THAT_DIFFER = `(() => {
  const looks = new Map();
  const backgrounds = new Map();
  const backgroundOf = (element) => {
    if (element === null) return '';
    if (!backgrounds.has(element)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      const own = [backgroundColor, backgroundImage, opacity].join().replace('rgba(0, 0, 0, 0),none,1', '');
      backgrounds.set(element, own + backgroundOf(element.parentElement));
    }
    return backgrounds.get(element);
  };
  for (const element of document.body.querySelectorAll('*')) {
    if (![...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '')) continue;
    if (!element.checkVisibility()) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const look = [color, fontSize, fontWeight, backgroundOf(element)].join();
    if (!looks.has(look)) looks.set(look, element);
  }
  return [...looks.values()];
})()`;

/** The contrast of texts alone: what another color scheme changes of a page that is accessible in the first. */
export async function assertContrast(page: Page, where: string): Promise<void> {
  const options = "{ runOnly: ['color-contrast'], resultTypes: ['violations'] }";
  await assertNoViolations(page, where, `axe.run({ include: ${TEXTS_THAT_DIFFER} }, ${options})`);
}

async function assertNoViolations(page: Page, where: string, run: string): Promise<void> {
  // It stays while the console goes from page to page.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const violations = (await page.evaluate(`${run}.then((results) => results.violations)`)) as Violation[];
  const told = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n  ${nodes.map((node) => `${node.html}\n  ${node.failureSummary}`).join('\n  ')}`,
  );
  assert.deepEqual(told, [], `accessibility of ${where}`);
}
