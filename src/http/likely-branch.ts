// For a value that may have several shapes (anyOf), chooses the errors worth reporting: those of the shape that was
// probably meant.
import type { ErrorObject } from 'ajv';

/** Misfit of a value of another type, which was certainly not meant as this shape. */
const OTHER_TYPE = 1000;

/**
 * Drops the errors of shapes that fit worse than others: of another type, or with other fields; of all shapes, if the value does not
 * choose between them.
 */
export function ofLikelyBranches(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  // Shapes within a shape come before it, so that it is judged by the likely ones of them.
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf');
  return choices.reduce((left, any) => {
    const unlikely = new Set(worse(any, left));
    return left.filter((error) => !unlikely.has(error));
  }, errors);
}

function worse(any: ErrorObject, errors: readonly ErrorObject[]): ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>();
  const start = `${any.schemaPath}/`;
  for (const error of errors) {
    const isWithin = error.instancePath === any.instancePath || error.instancePath.startsWith(`${any.instancePath}/`);
    if (!isWithin || !error.schemaPath.startsWith(start)) continue;
    const name = error.schemaPath.slice(start.length).split('/', 1)[0];
    const branch = branches.get(name) ?? [];
    branch.push(error);
    branches.set(name, branch);
  }
  if (lacksOneOf(any)) return [...branches.values()].flat();
  const byMisfit = Map.groupBy(branches.values(), (branch) => misfitOf(branch, any.instancePath));
  byMisfit.delete(Math.min(...byMisfit.keys()));
  return [...byMisfit.values()].flat(2);
}

/** Whether the value is an object that has none of the fields of which it must have one, or several of them. */
function lacksOneOf(any: ErrorObject): boolean {
  const names = fieldsToChoose(any);
  if (names === null || typeof any.data !== 'object' || any.data === null || Array.isArray(any.data)) return false;
  const given = Object.keys(any.data);
  return given.length !== 1 && given.every((name) => names.includes(name));
}

/** The fields of which the value must have exactly one, if each shape is an object with one field; else null. */
export function fieldsToChoose({ schema }: ErrorObject): string[] | null {
  const names = (schema as { properties?: object }[]).map(({ properties = {} }) => Object.keys(properties));
  return names.every(({ length }) => length === 1) ? names.flat() : null;
}

function misfitOf(branch: readonly ErrorObject[], path: string): number {
  const keywords = branch.filter(({ instancePath }) => instancePath === path).map(({ keyword }) => keyword);
  if (keywords.includes('type')) return OTHER_TYPE;
  return keywords.filter((keyword) => keyword === 'required' || keyword === 'additionalProperties').length;
}
