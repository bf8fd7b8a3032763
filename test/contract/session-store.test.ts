// Sessions of the console: the same expectations on every database.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openAccount } from '../../src/accounts.ts';
import { newId } from '../../src/domain/ids.ts';
import { type ConsoleSession, SESSION_LIMITS } from '../../src/domain/person.ts';
import type { SessionStore } from '../../src/store/session-store.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`console sessions on ${dialect}`, () => {
    let close: () => Promise<void>;
    let sessions: SessionStore;
    let own: string;
    let other: string;

    before(async () => {
      const opened = await openTestStore(dialect);
      ({ close } = opened);
      ({ sessions } = opened.store);
      own = (await openAccount(opened.store.accounts, 'own'))!.account.account_id;
      other = (await openAccount(opened.store.accounts, 'other'))!.account.account_id;
    });
    after(() => close());

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
      await sessions.open(session);
      assert.deepEqual(await sessions.find(session.id_hash), session);
      await sessions.saw(session.session_id, session.seen_ts + 5);
      await sessions.saw(session.session_id, session.seen_ts + 2);
      assert.equal((await sessions.find(session.id_hash))?.seen_ts, session.seen_ts + 5, 'never moves back');
      assert.deepEqual(await sessions.end(other, { session_id: session.session_id }), []);
      assert.equal((await sessions.end(own, { session_id: session.session_id })).length, 1);
      assert.equal(await sessions.find(session.id_hash), null);
    });

    it('keeps the most recently used sessions of a person, and lists those of the account that have not ended', async () => {
      const now = Date.now();
      const made = Array.from({ length: SESSION_LIMITS.perPerson + 2 }, (_, n) =>
        sessionOf({ person_id: 'per_many', seen_ts: now - 1000 + n }),
      );
      for (const session of made) await sessions.open(session);
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
