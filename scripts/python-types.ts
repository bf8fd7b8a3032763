// JSON schemas → Python types: a TypedDict for each object with known fields, written before what uses it. It has the name of the
// API description. Objects without a name there share one TypedDict if they have the same shape, named after its first use.
import { type JsonSchema, nameOf } from './client-from-openapi.ts';

const KEYWORDS = new Set([
  'from',
  'lambda',
  'import',
  'class',
  'in',
  'is',
  'not',
  'or',
  'and',
  'if',
  'else',
  'for',
  'with',
]);

interface Field {
  name: string;
  type: string;
  required: boolean;
}

export class PythonTypes {
  readonly #declarations: string[] = [];
  readonly #nameByShape = new Map<string, string>();
  readonly #names = new Set<string>();
  readonly #schemas: Readonly<Record<string, JsonSchema>>;
  readonly #typeByName = new Map<string, string>();

  /** `schemas`: those with a name. */
  constructor(schemas: Readonly<Record<string, JsonSchema>>) {
    this.#schemas = schemas;
    for (const name of Object.keys(schemas)) this.#named(name);
  }

  /** Every TypedDict so far, each after those it uses. */
  get declarations(): readonly string[] {
    return this.#declarations;
  }

  get names(): readonly string[] {
    return [...this.#names].sort();
  }

  /** The Python type of a schema; `name` is for the object it may be. */
  typeOf(schema: JsonSchema, name: string): string {
    if (schema.$ref) return this.#named(nameOf(schema.$ref));
    if (schema.const !== undefined) return literal([schema.const]);
    if (schema.enum) return literal(schema.enum);
    if (schema.anyOf) return union(schema.anyOf.map((choice) => this.typeOf(choice, name)));
    if (Array.isArray(schema.type)) return union(schema.type.map((type) => this.typeOf({ ...schema, type }, name)));
    switch (schema.type) {
      case 'string':
        return 'str';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'array':
        return `list[${this.typeOf(schema.items ?? {}, singular(name))}]`;
      case 'object':
        return this.#objectType(schema, name);
      default:
        return schema.properties ? this.#objectType(schema, name) : 'Any';
    }
  }

  #named(name: string): string {
    const type = this.#typeByName.get(name) ?? this.typeOf(this.#schemas[name], name);
    this.#typeByName.set(name, type);
    return type;
  }

  #objectType(schema: JsonSchema, name: string): string {
    const others = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties;
    const properties = Object.entries(schema.properties ?? {});
    if (properties.length === 0) {
      return `dict[str, ${typeof others === 'object' ? this.typeOf(others, singular(name)) : 'Any'}]`;
    }
    // A TypedDict cannot have further fields next to the named ones.
    if (typeof others === 'object' || others === true) return 'dict[str, Any]';
    const required = new Set(schema.required ?? []);
    const fields = properties.map(([field, property]) => ({
      name: field,
      type: this.typeOf(property, name + pascal(field)),
      required: required.has(field),
    }));
    return this.#schemas[name] === schema ? this.#declare(fields, name) : this.#shared(fields, name);
  }

  /** The TypedDict of the objects of this shape that have no name in the API description. */
  #shared(fields: Field[], wanted: string): string {
    const shape = JSON.stringify(fields);
    const known = this.#nameByShape.get(shape);
    if (known) return known;
    let name = wanted;
    for (let nth = 2; this.#names.has(name) || Object.hasOwn(this.#schemas, name); nth++) name = `${wanted}${nth}`;
    this.#nameByShape.set(shape, name);
    return this.#declare(fields, name);
  }

  #declare(fields: Field[], name: string): string {
    this.#names.add(name);
    this.#declarations.push(declaration(name, fields));
    return name;
  }
}

function declaration(name: string, fields: Field[]): string {
  const typeOf = ({ type, required }: Field) => (required ? type : `NotRequired[${type}]`);
  if (!fields.some((field) => KEYWORDS.has(field.name))) {
    return `class ${name}(TypedDict):\n${fields.map((field) => `    ${field.name}: ${typeOf(field)}`).join('\n')}\n`;
  }
  const lines = fields.map((field) => `        "${field.name}": ${typeOf(field)},`);
  return `${name} = TypedDict(\n    "${name}",\n    {\n${lines.join('\n')}\n    },\n)\n`;
}

export function pascal(name: string): string {
  return name.replace(/(?:^|[^a-zA-Z0-9])([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  return /[^s]s$/.test(name) ? name.slice(0, -1) : name;
}

function union(types: string[]): string {
  const choices = [...new Set(types)];
  // None reads best at the end.
  return [...choices.filter((type) => type !== 'None'), ...choices.filter((type) => type === 'None')].join(' | ');
}

function literal(values: readonly unknown[]): string {
  return `Literal[${values.map((value) => pythonValue(value)).join(', ')}]`;
}

function pythonValue(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}
