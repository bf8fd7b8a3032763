import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRIVATE_ADDRESS, webhookUrlProblem } from './webhook.ts';

test('a webhook has an https address', () => {
  for (const url of ['https://hooks.example/kindred?a=1', 'https://notlocalhost/', 'https://localhost.example/']) {
    assert.equal(webhookUrlProblem(url, false), null, url);
  }
  for (const url of ['hooks.example', 'http://hooks.example/', 'ftp://hooks.example/']) {
    assert.notEqual(webhookUrlProblem(url, false), null, url);
  }
});

test('it has no user name, password or fragment', () => {
  for (const url of ['https://u@hooks.example/', 'https://:p@hooks.example/', 'https://hooks.example/#part']) {
    for (const allowsPrivate of [false, true])
      assert.match(webhookUrlProblem(url, allowsPrivate) ?? '', /must not/, url);
  }
});

test('the own machine and plain http are for operators who allow private addresses', () => {
  for (const host of ['localhost', 'localhost.', 'shop.localhost', 'LOCALHOST:8443']) {
    assert.equal(webhookUrlProblem(`https://${host}/`, false), PRIVATE_ADDRESS, host);
    assert.equal(webhookUrlProblem(`https://${host}/`, true), null, host);
  }
  assert.equal(webhookUrlProblem('http://localhost:8080/', true), null);
  assert.notEqual(webhookUrlProblem('ftp://localhost/', true), null);
});
