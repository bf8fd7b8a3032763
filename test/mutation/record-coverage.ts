// Preloaded into a test file and the processes it starts: adds each mutant to a file in the folder MUTANT_COVERAGE_DIR when it is
// reached first, because threads and processes may be ended at any moment.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const folder = process.env.MUTANT_COVERAGE_DIR;
if (folder !== undefined) {
  const firstTime = new Proxy(
    {},
    {
      get: () => undefined,
      set(_, mutant: string, value, counts: object) {
        appendFileSync(join(folder, `${process.pid}-${threadId}`), `${JSON.stringify(mutant)}\n`);
        // From now on the object has it, and the proxy behind it is not asked again.
        return Reflect.defineProperty(counts, mutant, { value, writable: true, enumerable: true, configurable: true });
      },
    },
  );
  Object.assign(globalThis, { __stryker__: { mutantCoverage: { static: Object.create(firstTime), perTest: {} } } });
}
