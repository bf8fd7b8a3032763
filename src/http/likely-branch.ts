// For a value that may have several shapes (anyOf), chooses the errors worth reporting: those of the shape that was
// probably meant.
import type { ErrorObject } from 'ajv';

/** Misfit of a value of another type, which was certainly not meant as this shape. */
const OTHER_TYPE = 1000;

/**
 * Drops the errors of shapes that fit worse than others: of another type, or with other fields; of all shapes, if the value does not
 * choose between them. Then the error of the choice stays; else it adds nothing to those of its shapes. Each error is looked at
 * once per choice it is within.
 */
export function ofLikelyBranches(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const unlikely = new Set<ErrorObject>();
  errors.forEach((error, place) => {
    if (error.keyword !== 'anyOf') return;
    // Shapes within a shape come before it, so that it is judged by the likely ones of them.
    const branches = branchesBefore(place, errors, unlikely);
    const dropped = lacksOneOf(error) ? branches.flat() : worse(branches, error.instancePath);
    if (dropped.length < branches.flat().length) dropped.push(error);
    for (const one of dropped) unlikely.add(one);
  });
  return errors.filter((error) => !unlikely.has(error));
}

/** The likely errors of each shape of the choice at this place. Ajv reports them just before it. */
function branchesBefore(
  place: number,
  errors: readonly ErrorObject[],
  unlikely: ReadonlySet<ErrorObject>,
): ErrorObject[][] {
  const start = `${errors[place].schemaPath}/`;
  let first = place;
  while (first > 0 && errors[first - 1].schemaPath.startsWith(start)) first -= 1;
  const likely = errors.slice(first, place).filter((error) => !unlikely.has(error));
  const byBranch = Map.groupBy(likely, ({ schemaPath }) => schemaPath.slice(start.length).split('/', 1)[0]);
  return [...byBranch.values()];
}

function worse(branches: readonly ErrorObject[][], path: string): ErrorObject[] {
  const byMisfit = Map.groupBy(branches, (branch) => misfitOf(branch, path));
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
