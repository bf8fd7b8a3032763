// Dockerfile, compose.yaml and the systemd unit, checked without an engine: they parse, name files that exist, and keep
// what the documentation promises.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { loadConfig, unknownVariables } from '../../src/config/config.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the Dockerfile is valid, ends as a user without rights and has a health check', () => {
  const dockerfile = read('Dockerfile');
  assert.deepEqual(validate(dockerfile), []);
  const stages = dockerfile.split(/^FROM /m).slice(1);
  assert.equal(stages.length, 2);
  const last = stages[1];
  assert.match(last, /^USER node$/m);
  assert.match(last, /^HEALTHCHECK /m);
  assert.match(last, /\/healthz/);
  assert.doesNotMatch(last, /npm (ci|install)/, 'no build tool runs in the final image');
  const { engines, dependencies } = JSON.parse(read('package.json'));
  assert.ok(engines.node);
  const major = dependencies.node.split('.')[0];
  for (const stage of stages) assert.match(stage, new RegExp(`^node:${major}-`), 'both stages use the pinned Node');
});

test('what the final image copies is what the package needs', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY --from=build (.+) \S+$/gm)].flatMap(([, paths]) =>
    paths.split(' '),
  );
  assert.deepEqual(copied.sort(), [
    '/app/LICENSE',
    '/app/bin',
    '/app/build/package',
    '/app/node_modules',
    '/app/package.json',
  ]);
  for (const path of ['LICENSE', 'bin/kindred.js', 'package.json', 'scripts/keep-drivers.ts'])
    assert.ok(existsSync(new URL(`../../${path}`, import.meta.url)));
});

test('compose runs several API nodes and a worker on one PostgreSQL and one S3, with settings the service knows', () => {
  const { services, volumes } = parse(read('compose.yaml'), { merge: true });
  assert.equal(services.api.environment.KINDRED_ROLES, 'api');
  assert.ok(services.api.deploy.replicas >= 2);
  assert.equal(services.worker.environment.KINDRED_ROLES, 'worker');
  for (const node of [services.api, services.worker]) {
    const env: Record<string, string> = {};
    for (const [name, value] of Object.entries<string>(node.environment)) {
      env[name] = value.replace(/\$\{\w+:-(.*?)\}/g, '$1').replace(/\$\{\w+:\?.*?\}/g, 'secret');
    }
    assert.deepEqual(unknownVariables(env), []);
    const config = loadConfig(env);
    assert.equal(config.databaseUrl, 'postgres://kindred@postgres:5432/kindred');
    assert.equal(env.PGPASSWORD, 'secret');
    const artifacts = new URL(config.artifactsUrl ?? '');
    assert.equal(artifacts.searchParams.get('endpoint'), `http://s3:${services.s3.command[1].slice(1)}`);
    assert.ok(services.bucket.entrypoint.at(-1).includes(`Bucket: '${artifacts.host}'`));
    assert.equal(env.AWS_ACCESS_KEY_ID, services.s3.environment.ROOT_ACCESS_KEY);
    assert.equal(node.read_only, true);
    assert.equal(node.depends_on.postgres.condition, 'service_healthy');
    assert.equal(node.depends_on.bucket.condition, 'service_completed_successfully');
  }
  for (const service of Object.values<{ volumes?: string[] }>(services)) {
    for (const mount of service.volumes ?? []) assert.ok(mount.split(':')[0] in volumes, mount);
  }
});

test('the systemd unit keeps the service to its own folder and gives it time to stop', () => {
  const unit = read('deploy/kindred.service');
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
  assert.equal(setting('User'), 'kindred');
  assert.equal(setting('ProtectSystem'), 'strict');
  assert.ok(Number(setting('TimeoutStopSec')) > 10);
  assert.match(setting('ExecStart') ?? '', /kindred serve$/);
  assert.match(setting('Environment') ?? '', /KINDRED_DATA_DIR=\/var\/lib\/kindred/);
});

test('systemd, where it is present, finds nothing wrong with the unit', () => {
  const unit = fileURLToPath(new URL('../../deploy/kindred.service', import.meta.url));
  const { error, status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return;
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(stderr, /kindred\.service/);
});
