// The Chromium of the npm package @sparticuz/chromium, unpacked next to the installed packages: once, and whole when others see
// it. The package itself unpacks into the folder for temporary files, where a second process takes the first one's half-written
// file for a program.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache');
const UNPACKED = join(CACHE, 'chromium');
const UNPACK = `import chromium from '@sparticuz/chromium'; await chromium.executablePath();`;

/** Path of the program. */
export async function unpackChromium(): Promise<string> {
  if (!existsSync(UNPACKED)) {
    await mkdir(CACHE, { recursive: true });
    const own = await mkdtemp(join(CACHE, 'unpacking-'));
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], {
      cwd: ROOT,
      env: { ...process.env, TMPDIR: own },
    });
    // Another process may have been quicker.
    await rename(own, UNPACKED).catch(() => rm(own, { recursive: true }));
  }
  return join(UNPACKED, 'chromium');
}
