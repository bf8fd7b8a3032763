// For a value that may have several shapes (anyOf), chooses the errors worth reporting: those of the shape that was
// probably meant.
import type { ErrorObject } from 'ajv';

/** Misfit of a value of another type, which was certainly not meant as this shape. */
const OTHER_TYPE = 1000;

/**
 * Drops the errors of shapes that fit worse than others: of another type, or with other fields; of all shapes, if the value does not
 * choose between them.
 */
export function ofLikelyBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const unlikely = new Set(errors.filter(({ keyword }) => keyword === 'anyOf').flatMap((any) => worse(any, errors)));
  return errors.filter((error) => !unlikely.has(error));
}

function worse(any: ErrorObject, errors: readonly ErrorObject[]): ErrorObject[] {
  const branches = new Map<string, { errors: ErrorObject[]; misfit: number }>();
  const start = `${any.schemaPath}/`;
  for (const error of errors) {
    const isWithin = error.instancePath === any.instancePath || error.instancePath.startsWith(`${any.instancePath}/`);
    if (!isWithin || !error.schemaPath.startsWith(start)) continue;
    const name = error.schemaPath.slice(start.length).split('/', 1)[0];
    const branch = branches.get(name) ?? { errors: [], misfit: 0 };
    branch.errors.push(error);
    branch.misfit += error.instancePath === any.instancePath ? misfitOf(error) : 0;
    branches.set(name, branch);
  }
  if (lacksOneOf(any)) return [...branches.values()].flatMap((branch) => branch.errors);
  const best = Math.min(...[...branches.values()].map(({ misfit }) => misfit));
  return [...branches.values()].filter(({ misfit }) => misfit > best).flatMap((branch) => branch.errors);
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

function misfitOf({ keyword }: ErrorObject): number {
  if (keyword === 'type') return OTHER_TYPE;
  return keyword === 'required' || keyword === 'additionalProperties' ? 1 : 0;
}
