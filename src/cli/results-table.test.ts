import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kindred, Project } from '../client/index.ts';
import { resultsTable, type ScoreText, someAttributes } from './results-table.ts';
import { styleFor } from './style.ts';
import { scoreText } from './top.ts';

const speaker = { width: 60, style: styleFor(process.stdout, { NO_COLOR: '1' }) };

const scoresOf = (scores: number[], ofScore?: ScoreText | null): string[] => {
  const results = scores.map((score, n) => ({ item: { item_id: `i${n}` }, score }));
  const lines = resultsTable({ results, attributes: [] }, speaker, ofScore).split('\n').slice(1);
  return lines.map((line) => line.split(/ {2,}/).at(-1)!);
};

test('scores are counts, times or shares, as the list has them', () => {
  assert.deepEqual(scoresOf([44, 7]), ['44', '7']);
  assert.deepEqual(scoresOf([1, 0.5]), ['1.0000', '0.5000']);
  const added = Date.UTC(2026, 10, 19, 14, 5);
  assert.deepEqual(scoresOf([added], scoreText('newest', {})), ['2026-11-19 14:05']);
  const boost = [{ filter_query: 'price > 25', factor: 3 }];
  assert.deepEqual(scoresOf([added * 3], scoreText('newest', { boost })), ['i0'], 'no time, and no score');
  assert.deepEqual(scoresOf([3], scoreText('popular', { boost })), ['3']);
});

test('a list shows the attribute that looks like the name of the items first', async () => {
  const schema = { color: 'CATEGORICAL', price: 'NUMERICAL', year: 'NUMERICAL', language: 'CATEGORICAL' };
  const inferred_attribute_schema = { ...schema, Product_Name: 'CATEGORICAL' };
  const kindred = { getItemDataset: async () => ({ attribute_schema: null, inferred_attribute_schema }) };
  const shown = await someAttributes(kindred as unknown as Kindred, {} as Project);
  assert.deepEqual(shown, ['Product_Name', 'color', 'price', 'year']);
});
