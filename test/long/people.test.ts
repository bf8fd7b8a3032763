// People in the console, with a real OpenID provider: signing in, what each role may call, and every way a session ends.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ROLES, type Role, SESSION_LIMITS } from '../../src/domain/person.ts';
import { openStore } from '../../src/store/open-store.ts';
import { CLIENT, type OpenIdServer, startOpenIdServer } from '../support/openid-provider.ts';
import { type CallResponse, startTestService, type TestService } from '../support/service.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';
import { signInAs, WebVisitor } from '../support/web-visitor.ts';

const FROM_CONSOLE = { 'x-kindred-console': '1' };

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`people in the console on ${dialect}`, () => {
    let place: TestPlace;
    let provider: OpenIdServer;
    let service: TestService;
    const env = (change: Record<string, string> = {}) => ({
      KINDRED_DATA_DIR: place.dataDir,
      KINDRED_DATABASE_URL: place.databaseUrl ?? '',
      KINDRED_OIDC_ISSUER: provider.issuer,
      KINDRED_OIDC_CLIENT_ID: CLIENT.id,
      KINDRED_OIDC_CLIENT_SECRET: CLIENT.secret,
      KINDRED_OIDC_ADMINS: 'ann@example.com',
      KINDRED_OIDC_EDITORS: 'claim:merchandising',
      KINDRED_OIDC_VIEWERS: '@example.com',
      ...change,
    });

    before(async () => {
      place = await newTestPlace(dialect);
      provider = await startOpenIdServer();
      provider.people.set('ed@example.com', { groups: ['staff', 'merchandising'] });
      provider.people.set('unchecked@example.com', { email_verified: false });
      service = await startTestService(env());
      provider.allow(service.baseUrl);
    });
    after(async () => {
      await service?.stop();
      await provider?.stop();
      await place?.remove();
    });

    async function enter(person: string): Promise<WebVisitor> {
      const visitor = new WebVisitor();
      const { url } = await signInAs(visitor, service.baseUrl, person);
      assert.equal(url.hash, '#/placements', person);
      return visitor;
    }

    async function callAs(
      visitor: WebVisitor,
      method: string,
      path: string,
      { body, headers = FROM_CONSOLE }: { body?: object; headers?: Record<string, string> } = {},
    ): Promise<CallResponse> {
      const {
        status,
        headers: given,
        text,
      } = await visitor.send(`${service.baseUrl}${path}`, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body),
      });
      return { status, headers: given, body: text.startsWith('{') ? JSON.parse(text) : text };
    }

    const isIn = async (visitor: WebVisitor) => (await callAs(visitor, 'GET', '/get-account')).status === 200;

    async function changeStore(sql: string, params: (string | number)[] = []): Promise<void> {
      const store = await openStore({ dataDir: place.dataDir, databaseUrl: place.databaseUrl });
      await store.database.atomic([{ sql, params }]);
      await store.close();
    }

    test('a person gets the role of the lists, and the console learns who they are', async () => {
      for (const [person, role] of [
        ['ann@example.com', 'admin'],
        ['ed@example.com', 'editor'],
        ['vic@example.com', 'viewer'],
      ]) {
        const visitor = await enter(person);
        const { body } = await callAs(visitor, 'GET', '/console/session');
        assert.deepEqual([body.person.name, body.person.role], [person, role]);
        assert.ok(body.person.scopes.includes(role === 'admin' ? '*' : '/list-projects'));
        assert.ok(await isIn(visitor));
      }
    });

    test('the sign-in from a page with a long address goes to the provider too', async () => {
      const page = `/records/${'%E2%82%AC'.repeat(256)}`;
      const { status, headers } = await new WebVisitor().send(
        `${service.baseUrl}/console/sign-in?page=${encodeURIComponent(page)}`,
      );
      assert.equal(status, 302);
      assert.ok(headers.get('location')?.startsWith(provider.issuer));
    });

    test('who is in no list, or whose address the provider has not checked, does not get in', async () => {
      for (const person of ['eve@elsewhere.org', 'unchecked@example.com']) {
        const visitor = new WebVisitor();
        const { url } = await signInAs(visitor, service.baseUrl, person);
        assert.equal(url.hash, '#sign-in-failed=no-role');
        assert.equal(await isIn(visitor), false);
      }
    });

    test('the cookie is out of reach of scripts and other sites, and the store has only its hash', async () => {
      const visitor = await enter('vic@example.com');
      const line = visitor.setCookies.findLast((text) => text.startsWith('kindred-session='))!;
      assert.match(line, /; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict$/);
      const id = /=([^;]+)/.exec(line)![1];
      assert.ok(Buffer.from(id, 'base64url').length === 32);
      const store = await openStore({ dataDir: place.dataDir, databaseUrl: place.databaseUrl });
      const rows = JSON.stringify(await store.database.all('SELECT * FROM console_session'));
      await store.close();
      assert.ok(!rows.includes(id));
      const hash = /"id_hash":"([^"]+)"/.exec(rows)![1];
      const thief = new WebVisitor();
      thief.cookies.set(`${new URL(service.baseUrl).host} kindred-session`, hash);
      assert.equal(await isIn(thief), false, 'the hash opens nothing');
    });

    test('a call of another site is refused: without the header of the console, or sent by a page of another origin', async () => {
      const visitor = await enter('ann@example.com');
      const forged: Record<string, string>[] = [
        {},
        { 'x-kindred-console': '0' },
        { ...FROM_CONSOLE, 'sec-fetch-site': 'same-site' },
      ];
      for (const headers of forged) {
        const { status, body } = await callAs(visitor, 'GET', '/get-account', { headers });
        assert.deepEqual([status, body.code], [401, 'UNAUTHENTICATED']);
        await callAs(visitor, 'POST', '/create-user-dataset', { headers, body: { name: 'forged' } });
      }
      const out = await callAs(visitor, 'POST', '/console/sign-out', { headers: {} });
      assert.deepEqual(out.body, { signed_out: false });
      assert.ok(await isIn(visitor));
      const preflight = await visitor.send(`${service.baseUrl}/get-account`, {
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example', 'access-control-request-headers': 'x-kindred-console' },
      });
      assert.equal(preflight.headers.get('access-control-allow-headers'), null);
      const { user_datasets } = await service.ok('GET', '/list-user-datasets');
      assert.deepEqual(user_datasets, []);
    });

    test('each role makes its own calls and no others, call by call', async () => {
      const api = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as {
        paths: Record<string, Record<string, { security: object[] }>>;
      };
      const calls = Object.entries(api.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, { security }]) => security.some((way) => 'token' in way))
          .map(([method]) => ({ path, method: method.toUpperCase() })),
      );
      assert.ok(calls.length > 80, `${calls.length} calls`);
      const visitors: Record<Role, WebVisitor> = {
        viewer: await enter('vic@example.com'),
        editor: await enter('ed@example.com'),
        admin: await enter('ann@example.com'),
      };
      for (const { path, method } of calls) {
        const least = ROLES.indexOf(leastRole(method, path));
        for (const [rank, role] of ROLES.entries()) {
          // Not valid, so that nothing changes; scopes are checked before the body.
          const body = method === 'GET' ? undefined : { no_such_field: 1 };
          const response = await callAs(visitors[role], method, path.replaceAll(/\{\w+\}/g, 'none'), { body });
          const isRefused = response.body.code === 'INSUFFICIENT_SCOPE';
          assert.equal(isRefused, rank < least, `${role} ${method} ${path}: ${response.status} ${response.body.code}`);
          assert.notEqual(response.status, 401, `${role} ${method} ${path}`);
        }
      }
    });

    test('the audit log and versions name the person', async () => {
      const visitor = await enter('ed@example.com');
      await callAs(visitor, 'POST', '/create-user-dataset', { body: { name: 'people of the shop' } });
      const { body } = await callAs(visitor, 'GET', '/console/session');
      const { audit_entries } = await service.ok('GET', '/list-audit-entries', { person_id: body.person.person_id });
      const [made, entered] = audit_entries;
      const actor = { kind: 'person', id: body.person.person_id, name: 'ed@example.com' };
      assert.deepEqual([made.operation, made.actor], ['/create-user-dataset', actor]);
      assert.deepEqual(
        [entered.operation, entered.actor, entered.summary],
        ['/console/sign-in', actor, 'role: "editor"'],
      );
    });

    test('an admin makes keys, and nothing a person makes outlives what they may do', async () => {
      const admin = await enter('ann@example.com');
      const made = await callAs(admin, 'POST', '/create-api-key', { body: { name: 'by ann' } });
      assert.deepEqual([made.status, made.body.scopes, made.body.expires_ts], [200, ['*'], null]);
      const rotated = await callAs(admin, 'POST', '/rotate-api-key', { body: { key_id: made.body.key_id } });
      assert.equal(rotated.status, 200);
      await callAs(admin, 'POST', '/disable-api-key', { body: { key_id: made.body.key_id } });
    });

    test('signing out ends the session, in this browser and for whoever copied its cookie', async () => {
      const visitor = await enter('vic@example.com');
      const copy = new WebVisitor();
      for (const [key, value] of visitor.cookies) copy.cookies.set(key, value);
      assert.ok(await isIn(copy), 'until then the copy works');
      assert.deepEqual((await callAs(visitor, 'POST', '/console/sign-out')).body, { signed_out: true });
      assert.equal(await isIn(visitor), false);
      assert.equal(await isIn(copy), false);
      assert.match(visitor.setCookies.at(-1)!, /^kindred-session=; Path=\/; Max-Age=0;/);
    });

    test('an admin sees who is signed in, ends one session or all of a person', async () => {
      const [admin, first, second] = [
        await enter('ann@example.com'),
        await enter('lea@example.com'),
        await enter('lea@example.com'),
      ];
      const list = async () => (await callAs(admin, 'GET', '/list-console-sessions')).body.sessions;
      const ofLea = (await list()).filter(({ name }: { name: string }) => name === 'lea@example.com');
      assert.equal(ofLea.length, 2);
      assert.equal((await list()).filter(({ current }: { current: boolean }) => current).length, 1);
      const end = (body: object) => callAs(admin, 'POST', '/end-console-sessions', { body });
      assert.deepEqual((await end({ session_id: ofLea[0].session_id })).body, { ended: 1 });
      assert.deepEqual([await isIn(first), await isIn(second)].sort(), [false, true]);
      assert.deepEqual((await end({ person_id: ofLea[0].person_id })).body, { ended: 1 });
      assert.deepEqual([await isIn(first), await isIn(second)], [false, false]);
      assert.equal((await end({ person_id: ofLea[0].person_id })).body.code, 'SESSION_NOT_FOUND');
      assert.equal((await end({})).body.code, 'INVALID_REQUEST');
    });

    test('a session ends after an hour without use, and at its absolute end, and is renewed by use', async () => {
      const [idle, old, used] = [
        await enter('idle@example.com'),
        await enter('old@example.com'),
        await enter('used@example.com'),
      ];
      const now = Date.now();
      const set = 'UPDATE console_session SET';
      await changeStore(`${set} seen_ts = ? WHERE person_name = ?`, [now - SESSION_LIMITS.idleMs, 'idle@example.com']);
      await changeStore(`${set} expires_ts = ? WHERE person_name = ?`, [now, 'old@example.com']);
      await changeStore(`${set} seen_ts = ? WHERE person_name = ?`, [now - 1_800_000, 'used@example.com']);
      assert.equal(await isIn(idle), false);
      assert.equal(await isIn(old), false);
      used.setCookies.length = 0;
      assert.ok(await isIn(used));
      assert.match(used.setCookies.join(), /kindred-session=[\w-]{43}; Path=\/; Max-Age=3600;/);
      const sessions = (await service.ok('GET', '/list-console-sessions')).sessions as {
        name: string;
        seen_ts: number;
      }[];
      assert.ok(sessions.find(({ name }) => name === 'used@example.com')!.seen_ts >= now);
      assert.ok(!sessions.some(({ name }) => name === 'idle@example.com' || name === 'old@example.com'));
    });

    test('a person keeps their newest sessions only', async () => {
      const first = await enter('many@example.com');
      for (let n = 0; n < SESSION_LIMITS.perPerson; n++) await enter('many@example.com');
      assert.equal(await isIn(first), false);
      const { sessions } = await service.ok('GET', '/list-console-sessions');
      const own = sessions.filter(({ name }: { name: string }) => name === 'many@example.com');
      assert.equal(own.length, SESSION_LIMITS.perPerson);
    });

    test('a response without the attempt of this browser, of another attempt or used before is refused', async () => {
      const failure = async (visitor: WebVisitor, address: string) =>
        (await visitor.follow(address, {}, (url) => url.pathname === '/console/')).url.hash;
      const callback = `${service.baseUrl}/console/sign-in/callback`;
      assert.equal(await failure(new WebVisitor(), `${callback}?code=x&state=y`), '#sign-in-failed=too-old');
      const begun = new WebVisitor();
      await begun.send(`${service.baseUrl}/console/sign-in`);
      assert.equal(await failure(begun, `${callback}?code=x&state=other`), '#sign-in-failed=too-old');
      assert.equal(begun.cookies.size, 0, 'the attempt is over');
      // A code of one person, sent to another person's browser (login CSRF).
      const thief = new WebVisitor();
      const back = (url: URL) => url.pathname === '/console/sign-in/callback';
      const login = await thief.follow(`${service.baseUrl}/console/sign-in`);
      let page = await thief.submit(login, { login: 'vic@example.com', password: 'any' }, back);
      if (!back(page.url)) page = await thief.submit(page, {}, back);
      assert.ok(page.url.searchParams.has('code'));
      const victim = new WebVisitor();
      await victim.send(`${service.baseUrl}/console/sign-in`);
      assert.equal(await failure(victim, page.url.href), '#sign-in-failed=too-old');
      assert.equal(await isIn(victim), false);
      const kept = new Map(thief.cookies);
      assert.equal(await failure(thief, page.url.href), '#/');
      const again = new WebVisitor();
      for (const [key, value] of kept) again.cookies.set(key, value);
      assert.equal(await failure(again, page.url.href), '#sign-in-failed=provider', 'a code works once');
    });

    test('a sign-in that cannot be written to the audit log opens no session, and is no failure of the provider', async () => {
      await changeStore('ALTER TABLE audit_entry RENAME TO audit_entry_away');
      const visitor = new WebVisitor();
      const { url } = await signInAs(visitor, service.baseUrl, 'unlogged@example.com');
      await changeStore('ALTER TABLE audit_entry_away RENAME TO audit_entry');
      assert.equal(url.hash, '#sign-in-failed=service');
      assert.equal(await isIn(visitor), false);
      const { sessions } = await service.ok('GET', '/list-console-sessions');
      assert.ok(!sessions.some(({ name }: { name: string }) => name === 'unlogged@example.com'));
    });

    test('other settings of roles end the sessions that were made under the old ones', async () => {
      const visitor = await enter('vic@example.com');
      await service.stop();
      service = await startTestService(env({ KINDRED_PORT: new URL(service.baseUrl).port }));
      assert.ok(await isIn(visitor), 'a restart alone ends none');
      await service.stop();
      const change = { KINDRED_OIDC_VIEWERS: 'ann@example.com', KINDRED_PORT: new URL(service.baseUrl).port };
      service = await startTestService(env(change));
      assert.equal(await isIn(visitor), false);
    });
  });
}

/** Written from the docs, not from the code: reads and lists for viewers; keys, people, webhooks, the log and deletion for admins. */
function leastRole(method: string, path: string): Role {
  if (/api-key|console-session|webhook|audit/.test(path) || path.startsWith('/delete-')) return 'admin';
  if (method === 'GET' || /^\/(recommend|rank|list|preview|call|compose|projects\/)/.test(path)) return 'viewer';
  return 'editor';
}
