import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { AccountSigner, SIGNATURE_BYTES } from './account-signer.ts';

const signer = new AccountSigner('a secret', 'tests');

test('a signature is the beginning of the HMAC-SHA-256 by the key of the account', () => {
  for (const message of ['', 'short', 'é 漢 🙂', 'x'.repeat(1000)]) {
    const whole = createHmac('sha256', signer.keyOf('acc_1')).update(message).digest();
    assert.equal(signer.sign('acc_1', message), whole.subarray(0, SIGNATURE_BYTES).toString('base64url'));
  }
});

test('it holds for its account, purpose, secret and message alone', () => {
  const signature = signer.sign('acc_1', 'message');
  assert.ok(signer.isSigned('acc_1', 'message', signature));
  assert.ok(!signer.isSigned('acc_2', 'message', signature));
  assert.ok(!signer.isSigned('acc_1', 'message.', signature));
  assert.ok(!new AccountSigner('a secret', 'others').isSigned('acc_1', 'message', signature));
  assert.ok(!new AccountSigner('others', 'tests').isSigned('acc_1', 'message', signature));
  for (const wrong of ['', 'é'.repeat(16), `${signature}x`, signature.slice(1)]) {
    assert.ok(!signer.isSigned('acc_1', 'message', wrong));
  }
});

test('what was signed by an earlier version stays valid', () => {
  assert.equal(signer.sign('acc_1', 'message'), 'CLSKqPshvDKbtlM1');
});
