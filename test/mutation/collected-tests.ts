// In place of node:test in a process that runs the tests of a file many times: keeps them instead of running them.

type Work = (context: { after(work: Work): void }) => unknown;

const tests: Work[] = [];
const hooks = { before: [] as Work[], after: [] as Work[], beforeEach: [] as Work[], afterEach: [] as Work[] };

export const test = (...args: readonly unknown[]): void => void tests.push(args.at(-1) as Work);
export const before = (work: Work): void => void hooks.before.push(work);
export const after = (work: Work): void => void hooks.after.push(work);
export const beforeEach = (work: Work): void => void hooks.beforeEach.push(work);
export const afterEach = (work: Work): void => void hooks.afterEach.push(work);

/** Returns the first test that fails, or null. Throws when a hook fails. */
export async function firstFailing(from: readonly Work[] = tests): Promise<Work | null> {
  await all(hooks.before);
  try {
    for (const work of from) if (!(await isPassing(work))) return work;
    return null;
  } finally {
    await all(hooks.after);
  }
}

async function isPassing(work: Work): Promise<boolean> {
  const later: Work[] = [];
  try {
    await all(hooks.beforeEach);
    await work({ after: (one) => later.push(one) });
    await all(later);
    return true;
  } catch {
    return false;
  } finally {
    await all(hooks.afterEach);
  }
}

async function all(list: readonly Work[]): Promise<void> {
  for (const work of list) await work({ after() {} });
}
