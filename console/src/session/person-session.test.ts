import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { signInAddress } from './person-session.ts';

const SIGN_IN = 'https://kindred.example/console/sign-in';

/** From a page of the console. */
function addressFrom(hash: string): string {
  Object.assign(globalThis, { location: { hash } });
  return signInAddress(SIGN_IN);
}
afterEach(() => Reflect.deleteProperty(globalThis, 'location'));

test('the sign-in leads back to the page, unless its address is too long', () => {
  assert.equal(addressFrom('#/placements/a%20b'), `${SIGN_IN}?page=%2Fplacements%2Fa%2520b`);
  assert.equal(addressFrom(`#/${'x'.repeat(499)}`), `${SIGN_IN}?page=%2F${'x'.repeat(499)}`);
  for (const hash of ['', '#/', '#sign-in-failed=busy', `#/${'x'.repeat(500)}`]) {
    assert.equal(addressFrom(hash), SIGN_IN);
  }
});
