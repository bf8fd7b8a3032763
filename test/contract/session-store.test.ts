// Sessions of the console: the same expectations on every database.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openAccount } from '../../src/accounts.ts';
import { type ConsoleSession, SESSION_LIMITS } from '../../src/domain/person.ts';
import type { SessionStore } from '../../src/store/session-store.ts';
import type { Store } from '../../src/store/store.ts';
import { newId } from '../support/new-ids.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`console sessions on ${dialect}`, () => {
    let close: () => Promise<void>;
    let store: Store;
    let sessions: SessionStore;
    let own: string;
    let other: string;

    before(async () => {
      ({ store, close } = await openTestStore(dialect));
      ({ sessions } = store);
      own = await newAccount('own');
      other = await newAccount('other');
    });
    after(() => close());

    const newAccount = async (name: string) => (await openAccount(store.accounts, name))!.account.account_id;

    function sessionOf(change: Partial<ConsoleSession> = {}): ConsoleSession {
      const session_id = newId('session');
      const now = Date.now();
      return {
        session_id,
        id_hash: `hash of ${session_id}`,
        account_id: own,
        person_id: 'per_1',
        person_name: 'ann@example.com',
        role: 'editor',
        rules_hash: 'rules',
        user_agent: 'Mozilla/5.0',
        created_ts: now,
        seen_ts: now,
        expires_ts: now + 3_600_000,
        ...change,
      };
    }

    it('finds a session by its hash, notes its use, and ends it for its account alone', async () => {
      const session = sessionOf({ person_id: 'per_found' });
      const another = sessionOf({ person_id: 'per_found' });
      for (const one of [session, another]) await sessions.open(one);
      assert.deepEqual(await sessions.find(session.id_hash), session);
      await sessions.saw(session.session_id, session.seen_ts + 5);
      await sessions.saw(session.session_id, session.seen_ts + 2);
      assert.equal((await sessions.find(session.id_hash))?.seen_ts, session.seen_ts + 5, 'never moves back');
      assert.deepEqual(await sessions.find(another.id_hash), another, 'that was not used');
      assert.equal((await sessions.end(own, { session_id: another.session_id })).length, 1);
      assert.deepEqual(await sessions.end(other, { session_id: session.session_id }), []);
      assert.equal((await sessions.end(own, { session_id: session.session_id })).length, 1);
      assert.equal(await sessions.find(session.id_hash), null);
    });

    it('keeps the most recently used sessions of a person, and lists those of the account that have not ended', async () => {
      const now = Date.now();
      const made = Array.from({ length: SESSION_LIMITS.perPerson + 2 }, (_, n) =>
        sessionOf({ person_id: 'per_many', seen_ts: now - 1000 + n, created_ts: now - 1000 + n }),
      );
      for (const session of made) await sessions.open(session);
      await sessions.saw(made[2].session_id, now);
      const elsewhere = sessionOf({ account_id: other, person_id: 'per_many' });
      await sessions.open(elsewhere);
      const listed = await sessions.list(own);
      assert.deepEqual(
        listed.map(({ session_id }) => session_id),
        made
          .slice(2)
          .reverse()
          .map(({ session_id }) => session_id),
      );
      assert.equal((await sessions.end(own, { person_id: 'per_many' })).length, SESSION_LIMITS.perPerson);
      assert.deepEqual(await sessions.list(own), []);
      assert.notEqual(await sessions.find(elsewhere.id_hash), null);
    });

    it('ends no session because of those of another person', async () => {
      const account_id = await newAccount('of two people');
      const now = Date.now();
      const open = (person_id: string, seen_ts: number) =>
        sessions.open(sessionOf({ account_id, person_id, seen_ts, created_ts: seen_ts }));
      const seenOf = async (person: string) =>
        (await sessions.list(account_id))
          .filter(({ person_id }) => person_id === person)
          .map(({ seen_ts }) => now - seen_ts);
      const ages = Array.from({ length: SESSION_LIMITS.perPerson }, (_, n) => n + 1);
      for (const age of ages) await open('per_ann', now - 100 - age);
      for (const age of [0, ...ages]) await open('per_bob', now - age);
      assert.deepEqual(await seenOf('per_bob'), [0, ...ages.slice(0, -1)]);
      assert.deepEqual(
        await seenOf('per_ann'),
        ages.map((age) => 100 + age),
        'less recently used than all of the other person',
      );
      await open('per_ann', now - 100);
      assert.deepEqual(
        await seenOf('per_ann'),
        [0, ...ages.slice(0, -1)].map((age) => 100 + age),
        'the newest of the person, though not of the account',
      );
      assert.equal((await seenOf('per_bob')).length, SESSION_LIMITS.perPerson);
    });

    it('ends no session because of those of another account', async () => {
      const [first, second] = [await newAccount('first'), await newAccount('second')];
      const seen = async (accountId: string) => (await sessions.list(accountId)).map(({ seen_ts }) => seen_ts);
      const now = Date.now();
      const open = (account_id: string, seen_ts: number) =>
        sessions.open(sessionOf({ account_id, seen_ts, created_ts: seen_ts }));
      await open(first, now - 3);
      const newer = Array.from({ length: SESSION_LIMITS.perPerson }, (_, n) => now - n);
      for (const seen_ts of newer) await open(second, seen_ts);
      await open(first, now - 2);
      assert.deepEqual(await seen(first), [now - 2, now - 3]);
      assert.deepEqual(await seen(second), newer);

      // As many as an account may have, of as many people.
      await store.database.atomic([
        {
          sql: `INSERT INTO console_session (session_id, id_hash, account_id, person_id, person_name, role, rules_hash,
                  user_agent, created_ts, seen_ts, expires_ts)
                WITH RECURSIVE number (n) AS (
                  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${SESSION_LIMITS.perAccount})
                SELECT 'ses_' || n, 'hash ' || n, account_id, 'per_of_many_' || n, person_name, role, rules_hash,
                  user_agent, created_ts, seen_ts, expires_ts
                FROM console_session, number WHERE session_id = ?`,
          params: [(await sessions.list(second))[0].session_id],
        },
      ]);
      await open(second, now + 1);
      assert.equal((await seen(second)).length, SESSION_LIMITS.perAccount);
      await open(first, now - 1);
      assert.deepEqual(await seen(first), [now - 1, now - 2, now - 3]);
      assert.equal((await seen(second)).length, SESSION_LIMITS.perAccount);
    });

    it('deletes what has expired or was not used when another one opens', async () => {
      const now = Date.now();
      const expired = sessionOf({ person_id: 'per_2', expires_ts: now - 1 });
      const idle = sessionOf({ person_id: 'per_3', seen_ts: now - SESSION_LIMITS.idleMs - 1 });
      await sessions.open(expired);
      await sessions.open(idle);
      assert.deepEqual(await sessions.list(own), []);
      await sessions.open(sessionOf({ person_id: 'per_4' }));
      assert.equal(await sessions.find(expired.id_hash), null);
      assert.equal(await sessions.find(idle.id_hash), null);
    });
  });
}
