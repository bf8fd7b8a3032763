// Recommended items as a table.
import type { Kindred, Project, Recommendation, RecommendedItem } from '../client/index.ts';
import { isNameOfItems } from '../domain/item-name.ts';
import type { Speaker } from './command.ts';
import { type Column, tableView } from './table-view.ts';

/** Splits words separated by commas. */
export const listOf = (text: string): string[] => text.split(',').filter((entry) => entry !== '');

export type ScoreText = (score: number) => string;

/** Results of a call that recommends, as a table. `ofScore` null: without scores. */
export function resultsTable(
  { results, attributes }: Pick<Recommendation, 'results' | 'attributes'>,
  { width, style }: Pick<Speaker, 'width' | 'style'>,
  ofScore?: ScoreText | null,
): string {
  if (results.length === 0) return 'No items match.';
  type Row = { rank: number } & RecommendedItem;
  const columns: Column<Row>[] = [
    { title: '#', of: (row) => row.rank, align: 'right' },
    { title: 'item', of: (row) => row.item.item_id },
    ...attributes.map((name) => ({ title: name, of: (row: Row) => row.item[name] })),
  ];
  if (results.some(({ filled, pinned }) => filled || pinned)) {
    columns.push({ title: 'note', of: (row) => (row.pinned ? 'pinned' : row.filled ? 'fills up the list' : '') });
  }
  if (ofScore !== null && results.some(({ score }) => score !== undefined)) {
    // Counts stay whole numbers.
    const digits = results.every(({ score = 0 }) => Number.isInteger(score)) ? 0 : 4;
    const text = ofScore ?? ((score: number) => score.toFixed(digits));
    columns.push({ title: 'score', of: ({ score }) => (score === undefined ? '' : text(score)), align: 'right' });
  }
  if (results.some(({ reasons }) => reasons !== undefined)) {
    columns.push({ title: 'because of', of: (row) => (row.reasons ?? []).slice(0, 3).map(reasonText) });
  }
  return tableView(
    results.map((result, index) => ({ rank: index + 1, ...result })),
    columns,
    width,
    style,
  );
}

function reasonText(reason: unknown): string {
  const { kind, item_id, attribute, value, event_type, ts } = reason as Record<string, unknown>;
  if (kind === 'continue' || kind === 'again') return `${String(event_type)} on ${dayOf(Number(ts))}`;
  if (item_id !== undefined) return String(item_id);
  if (attribute !== undefined) return `${String(attribute)} ${String(value)}`;
  return String(kind ?? reason);
}

const dayOf = (ts: number): string => new Date(ts).toISOString().replace(/T.*/, '');

const SHOWN_ATTRIBUTES = 4;

/** The name if items have one, then the first few other attributes of the catalog. */
export async function someAttributes(kindred: Kindred, project: Project): Promise<string[]> {
  const dataset = await kindred.getItemDataset({ item_dataset_id: project.item_dataset_id });
  const known = Object.keys({ ...dataset.attribute_schema, ...dataset.inferred_attribute_schema });
  const names = known.filter((name) => isNameOfItems(name));
  return [...names, ...known.filter((name) => !names.includes(name))].slice(0, SHOWN_ATTRIBUTES);
}
