// The table of G1's parameters in docs/g1.md, from the one table in the code.
import { G1_PARAMETERS, type ParameterSpec, type ParameterTable } from '../src/domain/algorithm-parameters.ts';

const OPENING = '<!-- parameters: made by "npm run generate" -->';
const CLOSING = '<!-- end of parameters -->';

export function withParameterTable(page: string): string {
  const [before, rest] = page.split(OPENING);
  const after = rest?.split(CLOSING)[1];
  if (after === undefined) throw new Error('docs/g1.md has lost the place of its parameter table');
  return `${before}${OPENING}\n\n| parameter | values | meaning |\n|---|---|---|\n${rows(G1_PARAMETERS, '').join('\n')}\n\n${CLOSING}${after}`;
}

function rows(table: ParameterTable, prefix: string): string[] {
  return Object.entries(table).flatMap(([name, spec]) => {
    const row = `| \`${prefix}${name}\` | ${values(spec)} | ${spec.description} |`;
    return spec.kind === 'group' ? [row, ...rows(spec.fields, `${prefix}${name}.`)] : [row];
  });
}

function values(spec: ParameterSpec): string {
  switch (spec.kind) {
    case 'group':
      return 'object';
    case 'choice':
      return spec.values.map((value) => `\`${value}\``).join(', ');
    case 'list':
      return `some of ${spec.values.map((value) => `\`${value}\``).join(', ')}`;
    case 'map':
      return `names → ${spec.min} to ${spec.max}`;
    default:
      return `${spec.kind}, ${spec.min} to ${spec.max}${spec.unlimited ? ', or null' : ''}`;
  }
}
