// JSON Lines may bring new keys after the plan was made: what is optional can be absent from the first rows. A key that is the API's
// own name for a field without a column, or `attributes`, becomes that. Others become attributes by the same options as the rest.
import { attributeColumn, FIELDS_OF, type ImportPlan, REQUIRED_OF } from './import-plan.ts';

/** The plan with all columns known by now. */
export function withLateColumns(plan: ImportPlan): ImportPlan {
  const { kind, columns, options } = plan;
  const optional = FIELDS_OF[kind].filter((field) => !REQUIRED_OF[kind].includes(field));
  const fields = { ...plan.fields };
  const attributes = [...plan.attributes];
  let { attributesColumn } = plan;
  for (let index = plan.plannedColumns; index < columns.length; index++) {
    const name = columns[index];
    if (options.skip?.includes(name)) continue;
    const field = optional.find((one) => one === name && fields[one] === undefined && options.map?.[one] === undefined);
    if (field) fields[field] = index;
    else if (name === 'attributes' && attributesColumn < 0) attributesColumn = index;
    else if (name !== '') {
      attributes.push(attributeColumn({ name, index }, [], plan, options));
    }
  }
  return { ...plan, plannedColumns: columns.length, fields, attributes, attributesColumn };
}
