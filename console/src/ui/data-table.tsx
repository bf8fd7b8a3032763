// A table that scrolls sideways in its own box, so that the page itself never does on a narrow screen.
import type { ReactNode } from 'react';

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  align?: 'number';
  wide?: boolean;
  /** The header is for screen readers only, e.g. above buttons. */
  headHidden?: boolean;
}

export function DataTable<Row>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row, index: number) => string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className="table-wrap" aria-label={`${caption}: table`} tabIndex={0}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" className={column.align}>
                {column.headHidden ? <span className="visually-hidden">{column.head}</span> : column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map((column) => (
                <td
                  key={column.head}
                  data-head={column.head}
                  className={[column.align, column.wide ? 'wide' : '', column.headHidden ? 'actions' : '']
                    .filter(Boolean)
                    .join(' ')}
                >
                  {column.headHidden ? column.cell(row) : <div>{column.cell(row)}</div>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
