// Events over time as columns, with the one under the pointer described in text. A table gives screen readers the same
// numbers.
import { useState } from 'react';
import { linearScale, niceTicks } from '../../../src/base/chart-scale.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import { formatCompact, formatDate, formatWhole, plural } from '../format.ts';
import { useWidth } from './use-width.ts';

export interface TimeBucket {
  fromMs: number;
  toMs: number;
  count: number;
}

const HEIGHT = 200;
const MARGIN = { top: 10, right: 4, bottom: 24, left: 44 };

export function TimeChart({ buckets, label }: { buckets: TimeBucket[]; label: string }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<number | null>(null);
  const top = Math.max(1, ...buckets.map((bucket) => bucket.count));
  const y = linearScale([0, top], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const step = (width - MARGIN.left - MARGIN.right) / Math.max(1, buckets.length);
  const labelEvery = Math.max(1, Math.ceil(90 / step));
  const shown = pointed === null ? null : buckets[pointed];
  return (
    <div ref={box} className="chart">
      <p className="chart-note numbers" aria-hidden>
        {shown
          ? `${formatDate(shown.fromMs)}${shown.toMs - shown.fromMs > 1.5 * DAY_MS ? ` to ${formatDate(shown.toMs)}` : ''}: ${plural(shown.count, 'event')}`
          : '\u00a0'}
      </p>
      <svg width={width} height={HEIGHT} aria-hidden="true" onPointerLeave={() => setPointed(null)}>
        {niceTicks(0, top, 4, { wholeNumbers: true }).map((tick) => (
          <g key={tick}>
            <line className="grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
            <text className="tick" x={MARGIN.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
              {formatCompact(tick)}
            </text>
          </g>
        ))}
        {buckets.map((bucket, index) => {
          const left = MARGIN.left + index * step;
          return (
            <g key={bucket.fromMs} onPointerEnter={() => setPointed(index)}>
              <rect className="hit" x={left} y={MARGIN.top} width={step} height={HEIGHT - MARGIN.top - MARGIN.bottom} />
              <rect
                className={index === pointed ? 'column pointed' : 'column'}
                x={left + Math.min(1, step * 0.1)}
                y={y(bucket.count)}
                width={Math.max(1, step - Math.min(2, step * 0.2))}
                height={Math.max(bucket.count > 0 ? 1 : 0, y(0) - y(bucket.count))}
                rx={Math.min(2, step / 4)}
              />
              {index % labelEvery === 0 && left + 80 < width && (
                <text className="tick" x={left} y={HEIGHT - 6}>
                  {formatDate(bucket.fromMs)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <div className="visually-hidden">
        <table>
          <caption>{label}</caption>
          <tbody>
            {buckets
              .filter((bucket) => bucket.count > 0)
              .slice(0, 200)
              .map((bucket) => (
                <tr key={bucket.fromMs}>
                  <th scope="row">{formatDate(bucket.fromMs)}</th>
                  <td>{formatWhole(bucket.count)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
