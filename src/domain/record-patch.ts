// Changes of single attributes of users and items. A checked patch is one object: attribute name to its new value, or to null
// for an attribute that is removed. It travels as the `attributes` of a record and is applied by the store, inside the
// transaction that writes the record, so that no change between reading and writing is lost.
import { checkAttributes, schemaMismatch } from './attribute-check.ts';
import type { AttributeSchema } from './dataset.ts';
import type { Attributes, EntityRecord } from './record.ts';
import {
  invalid,
  MAX_ENTITY_BYTES,
  type Reading,
  type RecordBatch,
  readBatch,
  tooLarge,
  unknownField,
} from './record-batch.ts';

/** Limit of stored bytes of all records of one call, because they are parsed while other writes wait. */
export const MAX_PATCHED_BYTES = 64 * 1024 * 1024;

/** Patches of one id are joined in their order; if one of them is invalid, none of them is applied. */
export function readPatches(
  batch: readonly unknown[],
  idField: 'user_id' | 'item_id',
  schema: AttributeSchema | null,
): RecordBatch<EntityRecord> {
  const patchesById = Map.groupBy((batch as Record<string, unknown>[]).entries(), ([, patch]) => patch?.[idField]);
  return readBatch(batch, idField, (record): Reading<EntityRecord> => {
    const id = record[idField] as string;
    const changes: Attributes = {};
    for (const [index, patch] of patchesById.get(id)!) {
      const refusal = addChanges(patch, idField, changes);
      if (refusal !== null) return { ...refusal, index };
    }
    const mismatch = schema === null ? null : schemaMismatch(changes, schema);
    if (mismatch !== null) return { code: 'ATTRIBUTE_TYPE_MISMATCH', message: mismatch };
    return { id, attributes: changes };
  });
}

/** Adds the patch to `changes`, or returns why it is invalid. */
function addChanges(patch: Record<string, unknown>, idField: string, changes: Attributes) {
  const known = [idField, 'set', 'unset'];
  for (const field in patch) if (!known.includes(field)) return unknownField(field, known, 'set');
  const set = patch.set ?? {};
  const unset = patch.unset ?? [];
  if ((patch.set ?? patch.unset ?? null) === null)
    return invalid('set and unset are missing; send at least one of them');
  if (typeof set !== 'object' || Array.isArray(set)) return invalid('set must be an object');
  if (!Array.isArray(unset)) return invalid('unset must be an array of attribute names');
  if (!unset.every((name) => typeof name === 'string')) return invalid('unset must be an array of attribute names');
  const checked = checkAttributes(set);
  if (typeof checked === 'string') return invalid(checked);
  // Made from entries, so that "__proto__" is an ordinary name until it is rejected.
  const checkedNames = checkAttributes(Object.fromEntries(unset.map((name) => [name, null])));
  if (typeof checkedNames === 'string') return invalid(checkedNames);
  if (checked > MAX_ENTITY_BYTES && Buffer.byteLength(JSON.stringify(set)) > MAX_ENTITY_BYTES) {
    return tooLarge(MAX_ENTITY_BYTES);
  }
  const both = unset.find((name) => Object.hasOwn(set, name));
  if (both !== undefined) return invalid(`attribute "${both.slice(0, 64)}" is in both set and unset`);
  for (const name of unset) changes[name] = null;
  Object.assign(changes, set);
  return null;
}

/** The attributes after the changes as JSON; null if the record would be too large. */
export function patchAttributes(id: string, attributesJson: string, changesJson: string): string | null {
  const attributes = JSON.parse(attributesJson) as Attributes;
  const changes = JSON.parse(changesJson) as Attributes;
  for (const name in changes) {
    if (changes[name] === null) delete attributes[name];
    else attributes[name] = changes[name];
  }
  // Several valid patches together can produce an invalid record.
  if (typeof checkAttributes(attributes) === 'string') return null;
  const json = JSON.stringify(attributes);
  return json.length + id.length > MAX_ENTITY_BYTES / 6 && recordBytes(id, json) > MAX_ENTITY_BYTES ? null : json;
}

/** Size of the whole record as JSON. "user_id" and "item_id" have the same length. */
const recordBytes = (id: string, attributesJson: string): number =>
  Buffer.byteLength(`{"item_id":${JSON.stringify(id)},"attributes":}`) + Buffer.byteLength(attributesJson);
