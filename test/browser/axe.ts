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
  await page.evaluate(axe.source);
  const violations = (await page.evaluate(
    "axe.run({ exclude: ['[data-live-announcer]'] }, { resultTypes: ['violations'] }).then((results) => results.violations)",
  )) as Violation[];
  const told = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n  ${nodes.map((node) => `${node.html}\n  ${node.failureSummary}`).join('\n  ')}`,
  );
  assert.deepEqual(told, [], `accessibility of ${where}`);
}
