// `kindred demo` as a person runs it, up to the line that says how to stop it.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kindred } from '../../src/client/index.ts';

const ENTRY = join(import.meta.dirname, '../../src/main.ts');

export interface Demo {
  readonly child: ChildProcess;
  /** all that it wrote to its output */
  readonly printed: string;
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly credentials: { api_key: string; client_secret: string };
  readonly kindred: Kindred;
}

export async function startDemo(size: 'small' | 'full', env: NodeJS.ProcessEnv = {}): Promise<Demo> {
  const child = spawn(process.execPath, [ENTRY, 'demo', '--size', size, '--serve'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  let complained = '';
  child.stderr.on('data', (chunk) => {
    complained += chunk;
  });
  const hasEnded = once(child, 'exit');
  while (!printed.includes('Ctrl-C')) {
    const next = await Promise.race([once(child.stdout, 'data'), hasEnded]);
    assert.equal(child.exitCode, null, `${next}: ${complained}`);
  }
  const baseUrl = /(http\S+)\/demo\//.exec(printed)?.[1] ?? '';
  const dataDir = /with its data in (.*)\.$/m.exec(printed)?.[1] ?? '';
  const credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
  const { api_key, client_secret } = credentials;
  const kindred = new Kindred({ baseUrl, apiKey: api_key, clientSecret: client_secret });
  return { child, printed, baseUrl, dataDir, credentials, kindred };
}
