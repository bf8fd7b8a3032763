import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Claims, memberProblem, roleOf } from './oidc-settings.ts';

const settings = {
  claim: 'groups',
  members: {
    admin: ['ann@example.com', 'claim:shop-admins'],
    editor: ['Ed@Example.com', 'claim:merchandising'],
    viewer: ['@example.com'],
  },
  othersRole: null,
} as const;

test('the highest role of the lists that name a person counts', () => {
  const of = (claims: Claims) => roleOf(claims, settings);
  assert.equal(of({ email: 'ann@example.com', email_verified: true }), 'admin');
  assert.equal(of({ email: 'ED@example.com', email_verified: true }), 'editor');
  assert.equal(of({ email: 'vic@example.com', email_verified: 'true' }), 'viewer');
  assert.equal(of({ email: 'vic@example.com', email_verified: true, groups: ['x', 'merchandising'] }), 'editor');
  assert.equal(of({ groups: 'shop-admins' }), 'admin');
  assert.equal(
    of({ email: 'joann@example.com', email_verified: true }),
    'viewer',
    'the end of an address is not enough',
  );
});

test('an address that the provider has not checked, a similar one and odd claims give no role', () => {
  for (const claims of [
    { email: 'ann@example.com' },
    { email: 'ann@example.com', email_verified: false },
    { email: 'ann@example.com.evil.org', email_verified: true },
    { email: 'ann@evilexample.com', email_verified: true },
    { email: ['ann@example.com'], email_verified: true },
    { groups: { 'shop-admins': true } },
    { groups: [['shop-admins']] },
    {},
  ]) {
    assert.equal(roleOf(claims, settings), null, JSON.stringify(claims));
  }
  assert.equal(roleOf({}, { ...settings, othersRole: 'viewer' }), 'viewer');
});

test('an entry is an address, a domain or a value of the claim', () => {
  for (const entry of ['ann@example.com', '@example.com', 'claim:8f0c-11']) assert.equal(memberProblem(entry), null);
  for (const entry of ['ann', 'ann.example.com', 'claim:', 'a b@c', 'a@b@c', '@'])
    assert.notEqual(memberProblem(entry), null);
});
