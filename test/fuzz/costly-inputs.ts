// Inputs for a call that are made to cost much: values of its schema in which some fields are replaced by shapes of JSON that are
// dear to parse, to check or to run, sent with right or wrong credentials and headers. An input can be made again, larger or with one
// more such field: a search climbs from there.
import type { Random } from '../../src/base/seeded-random.ts';
import { FILTER_SHAPES, VALUE_SHAPES } from '../support/cost-shapes.ts';
import { fc } from '../support/fast-check.ts';
import type { JsonSchema, SchemaValues } from '../support/schema-arbitrary.ts';
import { valuesFor } from '../support/schema-arbitrary.ts';
import { nameOf, type Operation } from './api-operations.ts';
import { FRAME_NAMES } from './request-frames.ts';

interface Patch {
  /** of the names in the value, the one with this number, counted modulo */
  field: number;
  shape: string;
  bytes: number;
}

export interface Input {
  operation: Operation;
  /** of the value */
  seed: number;
  patches: readonly Patch[];
  /** how it is sent */
  frame: string;
  /** without the fields that may be left out */
  isShort?: boolean;
}

const SHAPES = [...Object.keys(VALUE_SHAPES), ...Object.keys(FILTER_SHAPES)];
const FIRST_BYTES = 2000;
const SIZES = 7;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_PATCHES = 3;

/** As a client that means well sends it, with what the call needs and no more. */
export const plainInput = (operation: Operation, random: Random): Input => ({
  operation,
  seed: random.below(2 ** 31),
  patches: [],
  frame: FRAME_NAMES[0],
  isShort: true,
});

export const freshInput = (operation: Operation, random: Random): Input => ({
  operation,
  seed: random.below(2 ** 31),
  patches: random.below(3) === 0 ? [] : [newPatch(random)],
  frame: newFrame(random),
});

/** Half of them as most clients call, because what is refused early does no further work. */
const newFrame = (random: Random): string => FRAME_NAMES[random.below(2) * random.below(FRAME_NAMES.length)];

const newPatch = (random: Random): Patch => ({
  field: random.below(50),
  shape: SHAPES[random.below(SHAPES.length)],
  bytes: FIRST_BYTES * 4 ** random.below(SIZES),
});

/** The same with another size, another shape, one more field, or sent in another way. */
export function changed(input: Input, random: Random): Input {
  if (random.below(5) === 0) return { ...input, frame: newFrame(random) };
  const patches = [...input.patches];
  const at = random.below(patches.length || 1);
  const choice = random.below(4);
  if (patches.length === 0 || (choice === 0 && patches.length < MOST_PATCHES)) patches.push(newPatch(random));
  else if (choice === 1) patches[at] = { ...newPatch(random), bytes: patches[at].bytes };
  else patches[at] = { ...patches[at], bytes: Math.min(MOST_BYTES, patches[at].bytes * (2 + random.below(6))) };
  return { ...input, patches };
}

/** For the command line: `--input '…'` sends it again. */
export const inputText = ({ operation, ...rest }: Input): string =>
  JSON.stringify({ route: nameOf(operation), ...rest }).replaceAll("'", "'\\''");

export function readInput(text: string, operations: readonly Operation[]): Input {
  const { route, ...rest } = JSON.parse(text) as Omit<Input, 'operation'> & { route: string };
  const operation = operations.find((known) => nameOf(known) === route);
  if (operation === undefined) throw new Error(`The service has no route ${route}.`);
  return { ...rest, operation };
}

/** The value as JSON text. */
export function textOf({ operation, seed, patches, isShort }: Input, context: SchemaValues): string {
  const schema = isShort ? withoutOptional(operation.schema) : operation.schema;
  const value = schema ? fc.sample(valuesFor(schema, context), { numRuns: 1, seed })[0] : {};
  const fields = fieldsOf(value);
  const raw = new Map<string, string>();
  for (const [n, { field, shape, bytes }] of patches.entries()) {
    if (fields.length === 0) break;
    const { holder, name } = fields[field % fields.length];
    const filter = FILTER_SHAPES[shape];
    const mark = `@@${n}@@`;
    holder[name] = filter ?? mark;
    if (filter === undefined) raw.set(JSON.stringify(mark), VALUE_SHAPES[shape](bytes));
  }
  let text = JSON.stringify(value) ?? '{}';
  for (const [mark, json] of raw) text = text.replace(mark, () => json);
  return text;
}

function withoutOptional(schema: JsonSchema | null): JsonSchema | null {
  if (!schema?.properties) return schema;
  const needed = Object.entries(schema.properties).filter(([name]) => schema.required?.includes(name));
  return needed.length === 0 ? null : { ...schema, properties: Object.fromEntries(needed) };
}

type Holder = Record<string | number, unknown>;

function fieldsOf(value: unknown, depth = 0): { holder: Holder; name: string | number }[] {
  if (typeof value !== 'object' || value === null || depth > 4) return [];
  const names = Array.isArray(value) ? value.keys() : Object.keys(value);
  return [...names].flatMap((name) => [
    { holder: value as Holder, name },
    ...fieldsOf((value as Holder)[name], depth + 1),
  ]);
}
