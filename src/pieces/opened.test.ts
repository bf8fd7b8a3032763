import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Opened } from './opened.ts';

test('a thing is opened by the first who asks, and closed once; after that it is opened again', async () => {
  const opened = new Opened();
  const said: string[] = [];
  const open = (name: string) =>
    opened.once(name, async () => {
      said.push(`opens ${name}`);
      return { name, close: async () => void said.push(`closes ${name}`) };
    });
  const [one, same] = await Promise.all([open('a'), open('a')]);
  assert.equal(one, same);
  await open('b');
  await opened.close();
  await opened.close();
  await open('a');
  assert.deepEqual(said, ['opens a', 'opens b', 'closes a', 'closes b', 'opens a']);
});

test('what could not be opened, or needs no closing, does not keep others from being closed', async () => {
  const opened = new Opened();
  let isClosed = false;
  await assert.rejects(
    opened.once('lost', () => Promise.reject(new Error('no such model'))),
    /no such model/,
  );
  await opened.once('plain', async () => ({}));
  await opened.once('kept', async () => ({
    close: async () => {
      isClosed = true;
    },
  }));
  await opened.close();
  assert.ok(isClosed);
});
