// A real S3 server: Versity's gateway over a folder. Needs Go, which builds it once.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { goProgram } from '../support/go-program.ts';

const PROGRAM = { name: 'versitygw', path: 'github.com/versity/versitygw/cmd/versitygw', version: '1.8.0' };
const BUCKET = 'models';

export interface S3Gateway {
  port: number;
  /** The artifact URL for clients that reach the server at this port. */
  urlAt(port: number): string;
  /** Credentials, for the environment of clients. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

export async function startS3Gateway(): Promise<S3Gateway> {
  const program = goProgram(PROGRAM);
  const folder = mkdtempSync(join(tmpdir(), 'kindred-s3-'));
  const [files, metadata] = [join(folder, 'files'), join(folder, 'metadata')];
  mkdirSync(join(files, BUCKET), { recursive: true });
  mkdirSync(metadata);
  const env = { AWS_ACCESS_KEY_ID: 'kindred-test', AWS_SECRET_ACCESS_KEY: randomBytes(12).toString('hex') };
  const port = await freePort();
  const own = { ROOT_ACCESS_KEY: env.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: env.AWS_SECRET_ACCESS_KEY };
  const args = ['--port', `127.0.0.1:${port}`, '--quiet', '--keep-alive', 'posix', '--sidecar', metadata, files];
  const child = spawn(program, args, { env: { ...process.env, ...own }, stdio: 'ignore' });
  await untilReachable(port, () => child.exitCode !== null);
  return {
    port,
    env,
    urlAt: (at) => `s3://${BUCKET}/kindred?endpoint=${encodeURIComponent(`http://127.0.0.1:${at}`)}&path_style=true`,
    async stop() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilReachable(port: number, hasEnded: () => boolean): Promise<void> {
  for (let tries = 0; ; tries++) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isUp) return;
    if (hasEnded() || tries === 300) throw new Error('the S3 server did not start');
    await sleep(50);
  }
}
