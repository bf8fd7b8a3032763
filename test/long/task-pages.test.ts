// The pages by task, run as a reader would: every `sh` block in a shell, in order, next to one service for all of them. `npx` runs
// this checkout instead of downloading anything.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type PageReader, startPageReader } from '../support/page-reader.ts';

let reader: PageReader;
before(async () => {
  reader = await startPageReader();
});
after(() => reader?.stop());

/** Items of a printed list, from its table. */
const listed = (output: string, id: RegExp): number => output.match(new RegExp(id, 'g'))?.length ?? 0;

test('a shop in 15 minutes', async () => {
  const output = await reader.run('shop.md');
  assert.match(output('kindred import'), /1,800 rows imported/);
  assert.match(output('kindred train'), /ndcg@10/);
  assert.ok(listed(output('kindred train'), /garden/) >= 5, 'the list has what the customer likes');
  assert.match(output('placement call'), /Article/);
  assert.match(output('kindred track'), /Article/);
});

test('a news site', async () => {
  const output = await reader.run('news.md');
  const [, factor] = output('kindred train').match(/ndcg@10.*× ([\d.]+)/) ?? [];
  assert.ok(Number(factor) > 2, 'lists are for the reader, not what is popular');
  assert.match(output('top trending'), /Headline/);
  assert.match(output('--session'), /Headline/);
  assert.match(output('days_since(published * 1000) < 2" --limit'), /Headline/);
  assert.match(output('placement call'), /Headline/);
});

test('groceries', async () => {
  const output = await reader.run('groceries.md');
  assert.equal(output('--objective again').match(/^#\s+item/gm)?.length, 3);
  assert.match(output('placement call'), /Product/);
});

test('coming from Personalize, Gorse and Recombee', async () => {
  const output = await reader.run('migration.md');
  assert.match(output('personalize/users.csv'), /interactions.csv: 3 rows imported/);
  assert.match(output('gorse/users.jsonl'), /feedback.jsonl: 2 rows imported/);
  assert.match(output('gorse/users.jsonl'), /Value is left out/);
  assert.match(output('recombee/items.jsonl'), /watched.jsonl: 2 rows imported/);
});
