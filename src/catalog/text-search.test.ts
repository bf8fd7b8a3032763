import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { IdTable } from '../base/id-table.ts';
import { atOnce, type Steps } from '../base/steps.ts';
import type { ComparisonOperator } from '../domain/filter/filter.ts';
import { textsInOrder } from './text-order.ts';
import { type TextTable, textsContaining } from './text-search.ts';

/** A table whose texts are marked by "s" and whose other entries by "j". */
function tableOf(entries: Iterable<string>): { table: TextTable; texts: string[] } {
  const ids = IdTable.from(entries);
  const texts = Array.from({ length: ids.length }, (_, entry) => ids.at(entry)!);
  return { table: { ...ids.content(), tagBytes: 1, textTag: 's'.charCodeAt(0) }, texts };
}

function found(search: (mark: (entry: number) => void) => Steps<void>): number[] {
  const entries: number[] = [];
  atOnce(search((entry) => entries.push(entry)));
  return entries;
}

const unit = fc.constantFrom('a', 'b', 's', 'é', '€', '\u{1f600}', '\u{ffff}', '\u{e000}', '\u{10000}');
const short = fc.string({ unit, maxLength: 8 });
const long = fc
  .tuple(fc.constantFrom('a', 'ab', 'aab'), fc.integer({ min: 0, max: 120 }), short, short)
  .map(([piece, times, before, after]) => before + piece.repeat(times) + after);
const entries = fc.array(
  fc.tuple(fc.constantFrom('s', 's', 'j'), fc.oneof(short, long)).map(([tag, text]) => tag + text),
);
const substring = fc.oneof(short, long, fc.constant('a'.repeat(64)), fc.constant('ab'.repeat(40)));

test('a search finds exactly the texts that hold the substring', () => {
  fc.assert(
    fc.property(entries, substring, (made, wanted) => {
      const { table, texts } = tableOf(made);
      const expected = [...texts.keys()].filter((n) => texts[n][0] === 's' && texts[n].slice(1).includes(wanted));
      assert.deepEqual(
        found((mark) => textsContaining(table, wanted, mark)),
        expected,
      );
    }),
    { numRuns: 1000 },
  );
});

test('texts longer than a step are searched to their end', () => {
  const filler = 'ab'.repeat(20_000);
  for (const wanted of ['needle', `x${'ab'.repeat(50)}y`]) {
    const inside = [filler + wanted, wanted + filler, filler + wanted + filler];
    const outside = [filler, filler.slice(1), filler + wanted.slice(0, -1), wanted.slice(1) + filler];
    const { table } = tableOf([...inside, ...outside].map((text) => `s${text}`));
    const marked = found((mark) => textsContaining(table, wanted, mark));
    assert.deepEqual(marked, [0, 1, 2]);
  }
});

test('texts are in the order of their code units', () => {
  fc.assert(
    fc.property(entries, fc.oneof(short, long), fc.constantFrom('<', '<=', '>', '>='), (made, wanted, operator) => {
      const { table, texts } = tableOf(made);
      const holds = (text: string): boolean =>
        ({ '<': text < wanted, '<=': text <= wanted, '>': text > wanted, '>=': text >= wanted })[operator]!;
      const expected = [...texts.keys()].filter((n) => texts[n][0] === 's' && holds(texts[n].slice(1)));
      assert.deepEqual(
        found((mark) => textsInOrder(table, operator as ComparisonOperator, wanted, mark)),
        expected,
      );
    }),
    { numRuns: 1000 },
  );
});
