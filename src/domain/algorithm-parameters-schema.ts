// The parameter table as a JSON Schema, for the OpenAPI document.
import { AUTO, G1_PARAMETERS, type ParameterSpec, type ParameterTable } from './algorithm-parameters.ts';

export type JsonSchema = Record<string, unknown>;

export function algorithmParametersSchema(): JsonSchema {
  return groupSchema(
    G1_PARAMETERS,
    'Parameters of G1, each optional; an empty object lets the service choose all of them.',
  );
}

function groupSchema(table: ParameterTable, description: string): JsonSchema {
  const properties = Object.fromEntries(Object.entries(table).map(([name, spec]) => [name, valueSchema(spec)]));
  return { type: 'object', description, additionalProperties: false, properties };
}

function valueSchema(spec: ParameterSpec): JsonSchema {
  const auto = { const: AUTO };
  switch (spec.kind) {
    case 'group':
      return { description: spec.description, anyOf: [groupSchema(spec.fields, spec.description), auto], default: {} };
    case 'choice':
      return { description: spec.description, type: 'string', enum: [...spec.values, AUTO], default: AUTO };
    case 'list':
      return {
        description: spec.description,
        anyOf: [
          { type: 'array', items: { type: 'string', enum: [...spec.values] }, minItems: 1, uniqueItems: true },
          auto,
        ],
        default: AUTO,
      };
    case 'map': {
      const value = { type: 'number', minimum: spec.min, maximum: spec.max };
      return {
        description: spec.description,
        anyOf: [{ type: 'object', additionalProperties: value }, auto],
        default: AUTO,
      };
    }
    default: {
      const unlimited = spec.unlimited === true ? [{ type: 'null' }] : [];
      return {
        description: spec.description,
        anyOf: [{ type: spec.kind, minimum: spec.min, maximum: spec.max }, ...unlimited, auto],
        default: AUTO,
      };
    }
  }
}
