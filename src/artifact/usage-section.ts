// Usage maps in a model file: one row of numbers a value, and the values' names as texts.
import { IdTable } from '../base/id-table.ts';
import type { SectionArray } from './format.ts';
import type { Artifact } from './read-artifact.ts';
import type { MappedValue, UsageMaps } from './usage-maps.ts';

export type UsageMeta = Omit<UsageMaps, 'values'>;

const TENTHS = 10;
/** offset, below, above, events, predicted, observed, slope, and both numbers of every tenth */
const COLUMNS = 7 + 2 * TENTHS;

export function addUsageMaps(sections: Map<string, SectionArray>, maps: UsageMaps): UsageMeta {
  const { questions, all, attributes, values } = maps;
  const names = IdTable.from(values.map(({ attribute, value }) => JSON.stringify([attribute, value]))).content();
  const numbers = new Float32Array(values.length * COLUMNS);
  for (const [n, { map, events, figures }] of values.entries()) {
    const { predicted, observed, slope, tenths } = figures;
    const tenthNumbers = tenths.flatMap((tenth) => [tenth.predicted, tenth.observed]);
    numbers.set([map.offset, map.below, map.above, events, predicted, observed, slope, ...tenthNumbers], n * COLUMNS);
  }
  sections.set('usage.names.bytes', names.bytes);
  sections.set('usage.names.offsets', names.offsets);
  sections.set('usage.numbers', numbers);
  return { questions, all, attributes };
}

export function readUsageMaps(artifact: Artifact, { questions, all, attributes }: UsageMeta): UsageMaps {
  const names = new IdTable(
    artifact.section('usage.names.bytes', 'u8'),
    artifact.section('usage.names.offsets', 'u32'),
  );
  const numbers = artifact.section('usage.numbers', 'f32');
  const values = Array.from({ length: names.length }, (_, n): MappedValue => {
    const [attribute, value] = JSON.parse(names.at(n)!) as [string, MappedValue['value']];
    const row = numbers.subarray(n * COLUMNS, (n + 1) * COLUMNS);
    const [offset, below, above, events, predicted, observed, slope] = row;
    const tenths = Array.from({ length: TENTHS }, (_, tenth) => ({
      predicted: row[COLUMNS - 2 * TENTHS + 2 * tenth],
      observed: row[COLUMNS - 2 * TENTHS + 2 * tenth + 1],
    }));
    return { attribute, value, map: { offset, below, above }, events, figures: { predicted, observed, slope, tenths } };
  });
  return { questions, all, attributes, values };
}
