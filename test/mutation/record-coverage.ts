// Preloaded into a test file and the processes it starts: writes which mutants each thread reached to a file in the folder
// MUTANT_COVERAGE_DIR.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

interface Instrumented {
  __stryker__?: { mutantCoverage?: { static: Record<string, number> } };
}

const folder = process.env.MUTANT_COVERAGE_DIR;
if (folder !== undefined) {
  process.on('exit', () => {
    const reached = Object.keys((globalThis as Instrumented).__stryker__?.mutantCoverage?.static ?? {});
    writeFileSync(join(folder, `${process.pid}-${threadId}.json`), JSON.stringify(reached));
  });
}
