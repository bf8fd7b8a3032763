// What `npm audit signatures` prints (npm 11.19), and what CI makes of it: bad signatures fail, signatures that nobody offers do not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from '../../scripts/check-signatures.ts';

const AUDITED = 'audited 348 packages in 3s\n\n';
const failed = (output: string) => verdictOf({ status: 1, output });

test('valid signatures pass', () => {
  const verdict = verdictOf({ status: 0, output: `${AUDITED}348 packages have verified registry signatures\n` });
  assert.deepEqual(verdict, { isBad: false, line: "The registry's signatures of 348 packages are valid." });
});

test('an invalid signature fails, and its package is named', () => {
  const invalid = '1 package has an invalid registry signature:\n\nreact@19.3.1 (https://registry.npmjs.org/)\n';
  const verdict = failed(`${AUDITED}347 packages have verified registry signatures\n\n${invalid}`);
  assert.ok(verdict.isBad);
  assert.match(verdict.line, /react@19\.3\.1/);
  const allMissing = '348 packages have missing registry signatures but the registry is providing signing keys:\n';
  assert.ok(failed(`${AUDITED}${allMissing}\n${invalid}`).isBad);
});

test('a package without the signature that all others have fails', () => {
  const missing =
    '1 package has a missing registry signature but the registry is providing signing keys:\n\nreact@19.3.1\n';
  assert.ok(failed(`${AUDITED}347 packages have verified registry signatures\n\n${missing}`).isBad);
});

test('a registry without keys, without signatures or out of reach is told and does not fail', () => {
  const offers = [
    'npm error found no dependencies to audit that were installed from a supported registry\n',
    'npm error code ENOTFOUND\nnpm error syscall getaddrinfo\nnpm error request to https://tuf.example failed\n',
    `${AUDITED}348 packages have missing registry signatures but the registry is providing signing keys:\n\nreact@19.3.1\n`,
    '',
  ];
  for (const output of offers) {
    const { isBad, line } = failed(output);
    assert.equal(isBad, false, output);
    assert.match(line, /^Not checked: signatures of packages \(.+\)\.$/);
  }
});
