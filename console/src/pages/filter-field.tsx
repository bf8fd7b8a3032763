// The filter box: checked while typing, with the position of an error marked and examples made from the dataset's attributes.
import type { AttributeStatistics } from '../api/statistics.ts';
import { TextField } from '../ui/field.tsx';
import type { FilterProblem } from './check-filter.ts';

export function FilterField({
  value,
  onChange,
  problem,
  attributes,
}: {
  value: string;
  onChange: (text: string) => void;
  problem: FilterProblem | null;
  attributes: AttributeStatistics[];
}) {
  return (
    <div className="stack-s">
      <TextField
        label="Filter"
        value={value}
        onChange={onChange}
        placeholder={exampleFilter(attributes) ?? "genre = 'Drama' AND price < 20"}
        error={problem?.message}
      />
      {problem?.position !== undefined && <ErrorPlace text={value.trim()} position={problem.position} />}
      <details className="disclosure">
        <summary>How to write a filter</summary>
        <table className="filter-help">
          <tbody>
            {helpRows(attributes).map(([example, meaning]) => (
              <tr key={example}>
                <td>
                  <code>{example}</code>
                </td>
                <td className="soft">{meaning}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}

function ErrorPlace({ text, position }: { text: string; position: number }) {
  const at = Math.min(position - 1, text.length);
  return (
    <p className="filter-error" aria-hidden>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + 1) || '\u00a0'}</mark>
      {text.slice(at + 1)}
    </p>
  );
}

function parts(attributes: AttributeStatistics[]) {
  const category = attributes.find(
    (a) => a.handling === 'CATEGORICAL' && a.distinct <= 100 && typeof a.top_values[0]?.value === 'string',
  );
  const number = attributes.find((a) => a.handling === 'NUMERICAL' && a.mean !== null);
  return {
    category: category?.attribute ?? 'genre',
    values: (category?.top_values ?? [{ value: 'Drama' }, { value: 'War' }])
      .slice(0, 2)
      .map(({ value }) => quote(String(value))),
    number: number?.attribute ?? 'price',
    middle: String(Math.round(number?.mean ?? 20)),
  };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function exampleFilter(attributes: AttributeStatistics[]): string | null {
  if (attributes.length === 0) return null;
  const { category, values, number, middle } = parts(attributes);
  return `${category} = ${values[0]} AND ${number} < ${middle}`;
}

function helpRows(attributes: AttributeStatistics[]): [string, string][] {
  const { category, values, number, middle } = parts(attributes);
  return [
    [`${category} = ${values[0]}`, 'the value, or one of a list, equals this'],
    [`${category} IN (${values.join(', ')})`, 'any of these'],
    [`NOT (${category} = ${values[0]})`, 'the opposite; also !='],
    [`${number} >= ${middle}`, 'numbers: < <= > >= = !='],
    [`${number} IS NOT NULL`, 'the item has this attribute'],
    [`${category} CONTAINS ${values[0].slice(0, 4)}'`, 'text that contains this'],
    [`${category} = ${values[0]} AND ${number} < ${middle}`, 'AND, OR and parentheses combine conditions'],
    [`${number} < user.budget`, 'an attribute of the user'],
    ['days_since(published) < 30', 'days since a date; also now(), distance_km(…) and + - * /'],
  ];
}
