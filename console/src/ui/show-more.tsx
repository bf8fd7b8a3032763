// Long lists that are already loaded: a first part, and more on request.
import { type ReactNode, useState } from 'react';
import { formatWhole } from '../format.ts';
import { Button } from './button.tsx';

export interface Shown<Row> {
  rows: Row[];
  /** The line below the list; null if all rows are shown. */
  more: ReactNode;
  count: number;
}

export function useShowMore<Row>(all: Row[], step: number, noun = ''): Shown<Row> {
  const [count, setCount] = useState(step);
  const more =
    all.length > count ? (
      <div className="pager">
        <span>
          {formatWhole(count)} of {formatWhole(all.length)} {noun}
        </span>
        <Button size="small" onPress={() => setCount(count + step)}>
          Show more
        </Button>
      </div>
    ) : null;
  return { rows: all.slice(0, count), more, count };
}
