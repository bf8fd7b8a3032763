// A tool an assistant can use: what it is for, what it takes, and which calls of the API it makes.
import type { Kindred, OperationPath } from '../../client/index.ts';

/** JSON Schema of the arguments. */
export interface ArgumentSchema {
  type: 'object';
  properties: Record<string, object>;
  required?: string[];
  additionalProperties: false;
}

export interface AssistantTool {
  name: string;
  title: string;
  /** Tells the assistant when to use it. */
  description: string;
  input: ArgumentSchema;
  /** A key that does not cover all of them is not offered the tool. */
  needs: readonly OperationPath[];
  /** Whether the tool changes nothing. It may start jobs that only read. */
  readOnly: boolean;
  run(kindred: Kindred, given: Arguments, signal: AbortSignal): Promise<unknown>;
}

/** Checked against the schema of the tool before it runs. */
export type Arguments = Readonly<Record<string, unknown>>;

export function argumentsOf(properties: Record<string, object>, required: string[] = []): ArgumentSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

export const PROJECT = {
  project: { type: 'string', maxLength: 256, description: 'Id or name of the project. Default: the only one.' },
};

export const limitUpTo = (maximum: number, byDefault: number) => ({
  limit: { type: 'integer', minimum: 1, maximum, description: `How many to return. Default ${byDefault}.` },
});

/** Reads an argument that was validated against its schema. */
export function textOf(given: Arguments, name: string): string | undefined {
  return given[name] as string | undefined;
}

export function numberOf(given: Arguments, name: string): number | undefined {
  return given[name] as number | undefined;
}
