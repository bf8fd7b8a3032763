// compose.yaml with the loader that Docker Compose itself uses: it meets the Compose Specification, and what it says after its variables
// are filled in is two API nodes and a worker on one PostgreSQL and one S3. Needs Go, which builds the loader once.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { goProgram } from '../support/go-program.ts';

const FILE = join(import.meta.dirname, '../../compose.yaml');
/** The password has characters that end parts of an address. */
const SECRETS = { POSTGRES_PASSWORD: 'pg/#?@:secret', S3_SECRET: 's3-secret' };

let loader: string;
let folder: string;
before(() => {
  loader = goProgram({ name: 'compose-go', path: 'github.com/compose-spec/compose-go/v2/cmd', version: '2.16.2' });
  folder = mkdtempSync(join(tmpdir(), 'kindred-compose-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** In an empty folder, so that no .env of the checkout is read. */
function load(text: string) {
  const file = join(folder, 'compose.yaml');
  writeFileSync(file, text);
  const { PATH, HOME } = process.env;
  return spawnSync(loader, ['-format', 'json', file], { cwd: folder, encoding: 'utf8', env: { PATH, HOME } });
}

/** With its variables filled in: the loader as a program has no way to be given them. */
function filled(secrets: Record<string, string>): string {
  return readFileSync(FILE, 'utf8')
    .replace(/\$\{(\w+):\?[^}]*\}/g, (whole, name) => secrets[name] ?? whole)
    .replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}

test('the file meets the specification and names what it needs', () => {
  const { status, stdout, stderr } = load(filled(SECRETS));
  assert.equal(status, 0, stderr);
  const { services } = JSON.parse(stdout);
  assert.ok(services.api.deploy.replicas >= 2);
  assert.equal(services.worker.environment.KINDRED_ROLES, 'worker');
  assert.equal(services.postgres.environment.POSTGRES_PASSWORD, SECRETS.POSTGRES_PASSWORD);
  for (const { environment } of [services.api, services.worker]) {
    process.env.PGPASSWORD = environment.PGPASSWORD;
    const { host, user, database, password } = new pg.Client({ connectionString: environment.KINDRED_DATABASE_URL });
    delete process.env.PGPASSWORD;
    assert.deepEqual({ host, user, database }, { host: 'postgres', user: 'kindred', database: 'kindred' });
    assert.equal(password, SECRETS.POSTGRES_PASSWORD);
    assert.equal(environment.AWS_SECRET_ACCESS_KEY, 's3-secret');
  }
});

test('without one of its secrets it does not start, and says which one is missing', () => {
  for (const name of Object.keys(SECRETS)) {
    const { [name as keyof typeof SECRETS]: _, ...others } = SECRETS;
    const { status, stderr } = load(filled(others));
    assert.equal(status, 1);
    assert.match(stderr, new RegExp(`${name} is missing`));
  }
});

test('the loader finds mistakes: unknown fields and wrong types', () => {
  const text = filled(SECRETS);
  for (const wrong of [
    text.replace(/^services:$/m, 'services:\n  odd: { image: x, healthchek: {} }'),
    text.replace(/^services:$/m, 'services:\n  odd: { image: x, depends_on: 7 }'),
    text.replace(/^services:$/m, 'services:\n  odd: { image: x, read_only: [1] }'),
  ]) {
    assert.notEqual(wrong, text);
    assert.equal(load(wrong).status, 1);
  }
});
