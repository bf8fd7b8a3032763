// `npm run test:python`: the Python client as its users have it. Builds the wheel, installs it in an empty environment and runs
// the client's tests, its types and its notebook against a real service of its own. Needs Python 3.10 or newer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServiceProcess } from '../test/support/service.ts';

const CLIENT = join(import.meta.dirname, '../clients/python');
const TOOLS = ['mypy==2.4.1', 'pytest==9.2.0', 'ruff==0.17.4'];

const folder = mkdtempSync(join(tmpdir(), 'kindred-python-'));

async function run(command: string, args: string[], env: Record<string, string> = {}): Promise<void> {
  const child = spawn(command, args, { cwd: CLIENT, stdio: 'inherit', env: { ...process.env, ...env } });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
}

try {
  await run('python3', ['-m', 'venv', folder]);
  const python = join(folder, 'bin/python');
  const pip = (...args: string[]) => run(python, ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...args]);
  await pip('wheel', '--no-deps', '--wheel-dir', join(folder, 'wheels'), '.');
  const [wheel] = readdirSync(join(folder, 'wheels'));
  await pip('install', `${join(folder, 'wheels', wheel)}[pandas,polars]`, ...TOOLS);
  await run(python, ['-m', 'ruff', 'check', '.']);
  await run(python, ['-m', 'ruff', 'format', '--check', '.']);
  await run(python, ['-m', 'mypy']);

  const sample = join(folder, 'sample');
  await run(process.execPath, [join(import.meta.dirname, '../bin/kindred.js'), 'sample', sample]);
  const service = await startServiceProcess({ KINDRED_ROLES: 'api,worker' });
  try {
    const { api_key, client_secret } = service.credentials;
    await run(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests'], {
      KINDRED_BASE_URL: service.baseUrl,
      KINDRED_API_KEY: api_key,
      KINDRED_CLIENT_SECRET: client_secret,
      KINDRED_SAMPLE: sample,
    });
  } finally {
    await service.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
