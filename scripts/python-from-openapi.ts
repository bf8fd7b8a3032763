// The generated parts of the Python client, from the API description: the types (types.py) and a method for each call, plain and
// asynchronous (calls.py, async_calls.py). A test generates them again and compares, as for the TypeScript client.
import { OPERATIONS, type OperationPath } from '../src/client/operations.ts';
import {
  type ApiDescription,
  type ClientOperation,
  clientOperations,
  type JsonSchema,
  nameOf,
} from './client-from-openapi.ts';
import { PythonTypes, pascal } from './python-types.ts';

const HEAD = '# Made by "npm run generate" from the API description; not edited by hand.\n';
const MAX_COLUMNS = 110;

interface PythonCall {
  path: string;
  method: string;
  repeatable: boolean;
  name: string;
  doc: string;
  parameters: { name: string; type: string; required: boolean; description: string }[];
  answer: string;
}

export interface PythonFiles {
  types: string;
  calls: string;
  asyncCalls: string;
}

export function pythonFiles(api: ApiDescription): PythonFiles {
  const types = new PythonTypes(api.components.schemas);
  const calls = clientOperations(api).map((operation) => pythonCall(operation, types, api.components.schemas));
  return {
    types: typesFile(types),
    calls: callsFile(calls, types, false),
    asyncCalls: callsFile(calls, types, true),
  };
}

function pythonCall(
  { path, method, doc, request, answer }: ClientOperation,
  types: PythonTypes,
  named: Record<string, JsonSchema>,
): PythonCall {
  const callName = pascal(path);
  const required = new Set(request.required ?? []);
  const parameters = Object.entries(request.properties ?? {}).map(([name, schema]) => ({
    name,
    type: types.typeOf(schema, callName + pascal(name)),
    required: required.has(name),
    description: descriptionOf(schema, named),
  }));
  return {
    path,
    method,
    repeatable: OPERATIONS[path as OperationPath].repeatable,
    name: path.slice(1).replaceAll('-', '_'),
    doc,
    parameters: [...parameters.filter((one) => one.required), ...parameters.filter((one) => !one.required)],
    answer: types.typeOf(answer, `${callName}Answer`),
  };
}

/** Optional fields are described at the choice that is not null. */
function descriptionOf(schema: JsonSchema, named: Record<string, JsonSchema>): string {
  const own = ({ description, $ref }: JsonSchema) => description ?? ($ref && named[nameOf($ref)].description);
  return own(schema) ?? schema.anyOf?.map(own).find((text) => text) ?? '';
}

function typesFile(types: PythonTypes): string {
  return `${HEAD}"""What calls take and return, as typed dictionaries."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict

${types.declarations.map((declaration) => `\n${declaration}`).join('\n')}`;
}

function callsFile(calls: PythonCall[], types: PythonTypes, isAsync: boolean): string {
  const methods = calls.map((call) => methodOf(call, isAsync)).join('\n\n');
  const used = types.names.filter((name) => new RegExp(`\\b${name}\\b`).test(methods));
  return `${HEAD}"""Every call of the service as a method, named like its path: \`\`/get-job\`\` is \`\`get_job\`\`."""

from __future__ import annotations

from typing import Any, Literal

from ._unset import UNSET, Unset
from .types import (
${used.map((name) => `    ${name},`).join('\n')}
)


class ${isAsync ? 'AsyncCalls' : 'Calls'}:
    ${isAsync ? 'async def' : 'def'} call(self, method: str, operation: str, fields: dict[str, Any], *, repeatable: bool) -> Any:
        raise NotImplementedError

${methods}
`;
}

function methodOf(call: PythonCall, isAsync: boolean): string {
  const parameters = call.parameters.map(({ name, type, required }) =>
    required ? `        ${name}: ${type},` : `        ${name}: ${type} | Unset = UNSET,`,
  );
  const signature =
    parameters.length === 0 ? '(self)' : `(\n        self,\n        *,\n${parameters.join('\n')}\n    )`;
  const fields = call.parameters.map(({ name }) => `                "${name}": ${name},`);
  const dictionary = fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n            }`;
  return `    ${isAsync ? 'async ' : ''}def ${call.name}${signature} -> ${call.answer}:
${docstring(call)}
        answer: ${call.answer} = ${isAsync ? 'await ' : ''}self.call(
            "${call.method}",
            "${call.path}",
            ${dictionary},
            repeatable=${call.repeatable ? 'True' : 'False'},
        )
        return answer`;
}

function docstring({ doc, parameters }: PythonCall): string {
  const described = parameters.filter(({ description }) => description !== '');
  const text = wrapped(doc.endsWith('.') ? doc : `${doc}.`, 8);
  if (described.length === 0 && !text.includes('\n')) return `        """${text.trim()}"""`;
  const lines = described.map(({ name, description }) => wrapped(`${name}: ${description}`, 12, 4));
  const args = lines.length === 0 ? '' : `\n\n        Args:\n${lines.join('\n')}`;
  return `        """${text.trim()}${args}\n        """`;
}

/** Lines of words, each after \`indent\` blanks, those after the first after \`hanging\` more. */
function wrapped(text: string, indent: number, hanging = 0): string {
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  for (const word of text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"').split(/\s+/)) {
    if (line.trim() !== '' && line.length + word.length > MAX_COLUMNS) {
      lines.push(line.trimEnd());
      line = ' '.repeat(indent + hanging);
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join('\n');
}
