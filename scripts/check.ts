// `npm run check`: types and lint at the same time. What one has to say is printed in one piece when it ends. `npm test` and
// `npm run test:fast` run it while their tests run.
// The compiler has one checker: several would each work out the same types of schemas again.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

async function passes(script: string): Promise<boolean> {
  const child = spawn('npm', ['run', '--silent', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [code, out, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  process.stdout.write(out);
  process.stderr.write(errors);
  return code === 0;
}

/** Resolves to whether both pass. */
export async function check(): Promise<boolean> {
  const results = await Promise.all(['typecheck', 'lint'].map(passes));
  return !results.includes(false);
}

if (import.meta.main && !(await check())) process.exitCode = 1;
