// How often each value of an attribute occurs, as rows with a bar next to the count.
import { formatShare, formatWhole } from '../format.ts';

export interface ValueCount {
  value: string;
  count: number;
}

export function ValueBars({ values, total, label }: { values: ValueCount[]; total: number; label: string }) {
  const top = Math.max(1, ...values.map(({ count }) => count));
  return (
    <ul className="value-bars" aria-label={label}>
      {values.map(({ value, count }) => (
        <li key={value}>
          <span className="clip" title={value}>
            {value === '' ? '(empty)' : value}
          </span>
          <span className="value-track">
            <span className="value-fill" style={{ width: `${(count / top) * 100}%` }} />
          </span>
          <span className="numbers small soft" title={formatWhole(count)}>
            {total > 0 ? formatShare(count / total) : formatWhole(count)}
          </span>
        </li>
      ))}
    </ul>
  );
}
