// The types of attributes over all items: columns of a table have one each, known before the first row.
import type { Project } from '../../domain/project.ts';
import type { AttributeType, AttributeTypes, ListFormat } from '../../domain/recommendation-job.ts';
import type { RecordStore } from '../../store/record-store.ts';
import type { Store } from '../../store/store.ts';

/** Returns types for Parquet only; other formats have no types. */
export async function columnTypes(
  { items }: Pick<Store, 'items'>,
  { item_dataset_id }: Project,
  format: ListFormat,
  attributes: readonly string[],
): Promise<AttributeTypes> {
  return format === 'parquet' ? attributeTypes(items, item_dataset_id, attributes) : {};
}

export async function attributeTypes(
  items: Pick<RecordStore, 'scan'>,
  itemDatasetId: string,
  names: readonly string[],
): Promise<AttributeTypes> {
  const found = new Map<string, AttributeType>();
  if (names.length === 0) return {};
  for await (const records of items.scan(itemDatasetId)) {
    for (const { attributes } of records) {
      for (const name of names) {
        const value = Object.hasOwn(attributes, name) ? attributes[name] : null;
        if (value === null) continue;
        const type = typeOf(value);
        found.set(name, (found.get(name) ?? type) === type ? type : 'json');
      }
    }
  }
  return Object.fromEntries(found);
}

function typeOf(value: unknown): AttributeType {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'json';
}
