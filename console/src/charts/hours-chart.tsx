// Events per hour and type as stacked columns, with the hour under the pointer described in text. A table gives screen readers the
// days.
import { useState } from 'react';
import { linearScale, niceAxis } from '../../../src/base/chart-scale.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { formatCompact, formatDate, formatDateTime, formatWhole, plural } from '../format.ts';
import { localDays } from './local-days.ts';
import { useWidth } from './use-width.ts';

export interface HourSeries {
  name: string;
  counts: number[];
}

const HEIGHT = 220;
const MARGIN = { top: 10, right: 4, bottom: 24, left: 44 };
const DAY_HOURS = 24;
const COLORS = 8;

const colorOf = (n: number): string => `var(--group-${(n % COLORS) + 1})`;

export function HoursChart({ fromMs, series, label }: { fromMs: number; series: HourSeries[]; label: string }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<number | null>(null);
  const hours = series[0]?.counts.length ?? 0;
  const totals = Array.from({ length: hours }, (_, hour) => series.reduce((sum, { counts }) => sum + counts[hour], 0));
  const { end, ticks } = niceAxis(Math.max(1, ...totals), 4, { wholeNumbers: true });
  const y = linearScale([0, end], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const step = (width - MARGIN.left - MARGIN.right) / Math.max(1, hours);
  const at = (hour: number) => fromMs + hour * HOUR_MS;
  const days = localDays(fromMs, hours);
  const midnights = days.filter(({ from }) => from > 0 || new Date(fromMs).getHours() === 0);
  const labelEvery = Math.max(1, Math.ceil(90 / (step * DAY_HOURS)));
  const note = (hour: number) =>
    `${formatDateTime(at(hour))}: ${plural(totals[hour], 'event')}${series.length > 1 ? ` (${partsOf(series, hour)})` : ''}`;
  return (
    <div ref={box} className="chart">
      <p className="chart-note numbers" aria-hidden>
        {pointed === null ? '\u00a0' : note(pointed)}
      </p>
      <svg width={width} height={HEIGHT} aria-hidden="true" onPointerLeave={() => setPointed(null)}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
            <text className="tick" x={MARGIN.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
              {formatCompact(tick)}
            </text>
          </g>
        ))}
        {midnights.map(({ from: hour }, n) => (
          <g key={hour}>
            <line
              className="grid"
              x1={MARGIN.left + hour * step}
              x2={MARGIN.left + hour * step}
              y1={HEIGHT - MARGIN.bottom}
              y2={HEIGHT - MARGIN.bottom + 4}
            />
            {n % labelEvery === 0 && MARGIN.left + hour * step + 80 < width && (
              <text className="tick" x={MARGIN.left + hour * step} y={HEIGHT - 6}>
                {formatDate(at(hour))}
              </text>
            )}
          </g>
        ))}
        {totals.map((total, hour) => {
          let below = 0;
          return (
            <g key={at(hour)} onPointerEnter={() => setPointed(hour)}>
              {total > 0 &&
                series.map(({ name, counts }, n) => {
                  const from = below;
                  below += counts[hour];
                  return (
                    counts[hour] > 0 && (
                      <rect
                        key={name}
                        fill={colorOf(n)}
                        opacity={hour === pointed ? 1 : 0.85}
                        x={MARGIN.left + hour * step + Math.min(0.5, step * 0.1)}
                        y={y(below)}
                        width={Math.max(0.8, step - Math.min(1, step * 0.2))}
                        height={Math.max(0.8, y(from) - y(below))}
                      />
                    )
                  );
                })}
              <rect
                className="hit"
                x={MARGIN.left + hour * step}
                y={MARGIN.top}
                width={step}
                height={HEIGHT - MARGIN.top - MARGIN.bottom}
              />
            </g>
          );
        })}
      </svg>
      {series.length > 1 && (
        <ul className="legend">
          {series.map(({ name }, n) => (
            <li key={name}>
              <svg width={10} height={10} aria-hidden="true">
                <rect width={10} height={10} rx={2} fill={colorOf(n)} />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
      <div className="visually-hidden">
        <table>
          <caption>{label}</caption>
          <tbody>
            {days.map(({ from, to }) => (
              <tr key={from}>
                <th scope="row">{formatDate(at(from))}</th>
                <td>{formatWhole(totals.slice(from, to).reduce((sum, count) => sum + count, 0))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const partsOf = (series: HourSeries[], hour: number): string =>
  series
    .filter(({ counts }) => counts[hour] > 0)
    .map(({ name, counts }) => `${name} ${formatWhole(counts[hour])}`)
    .join(', ');
