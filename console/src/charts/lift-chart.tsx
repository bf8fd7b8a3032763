// The lift of variants over the control as it went, with its interval as a band. A table gives screen readers the newest values.
import { linearScale, niceTicks } from '../../../src/base/chart-scale.ts';
import { formatDate, formatDateTime, formatShare } from '../format.ts';
import { type LiftPoint, liftRange } from './lift-range.ts';
import { useWidth } from './use-width.ts';

export interface LiftSeries {
  name: string;
  points: LiftPoint[];
}

const HEIGHT = 220;
const MARGIN = { top: 10, right: 8, bottom: 24, left: 52 };

/** `since`: where time begins, the start of the experiment. */
export function LiftChart({ series, since, label }: { series: LiftSeries[]; since: number; label: string }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const points = series.flatMap((one) => one.points);
  const times = points.map(({ ts }) => ts);
  const first = Math.min(since, ...times);
  const last = Math.max(...times);
  const [lowest, highest] = liftRange(series.map((one) => one.points));
  const clipped = (value: number) => Math.max(lowest, Math.min(highest, value));
  const x = linearScale([first, Math.max(first + 1, last)], [MARGIN.left, width - MARGIN.right]);
  const y = linearScale([lowest, highest], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const place = (ts: number, value: number) => `${x(ts).toFixed(1)},${y(clipped(value)).toFixed(1)}`;
  return (
    <div ref={box} className="chart">
      <svg width={width} height={HEIGHT} aria-hidden="true">
        {niceTicks(lowest, highest, 5).map((tick) => (
          <g key={tick}>
            <line className="grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
            <text className="tick" x={MARGIN.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
              {formatShare(tick)}
            </text>
          </g>
        ))}
        <line className="marker" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(0)} y2={y(0)} />
        {series.map(({ name, points: own }, n) => (
          <g key={name} className={`lift lift-${n % 4}`}>
            <polygon
              className="lift-band"
              points={[
                ...own.map(({ ts, high }) => place(ts, high)),
                ...own.toReversed().map(({ ts, low }) => place(ts, low)),
              ].join(' ')}
            />
            <polyline className="lift-line" points={own.map(({ ts, lift }) => place(ts, lift)).join(' ')} />
            <Newest point={own.at(-1)!} place={place} />
          </g>
        ))}
        <text className="tick" x={MARGIN.left} y={HEIGHT - 6}>
          {formatDate(first)}
        </text>
        <text className="tick" x={width - MARGIN.right} y={HEIGHT - 6} textAnchor="end">
          {formatDateTime(last)}
        </text>
      </svg>
      <ul className="legend">
        {series.map(({ name }, n) => (
          <li key={name}>
            <span className={`dot lift lift-${n % 4}`} style={{ background: 'currentColor' }} />
            {name}
          </li>
        ))}
      </ul>
      <div className="visually-hidden">
        <table>
          <caption>{label}</caption>
          <tbody>
            {series.map(({ name, points: own }) => {
              const { lift, low, high } = own.at(-1)!;
              return (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>
                    {formatShare(lift)} ({formatShare(low)} to {formatShare(high)})
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}

interface NewestParts {
  point: LiftPoint;
  place: (ts: number, value: number) => string;
}

/** The newest value and its interval: all there is of an experiment that has just begun. */
function Newest({ point: { ts, lift, low, high }, place }: NewestParts) {
  const [cx, cy] = place(ts, lift).split(',');
  return (
    <>
      <polyline className="lift-interval" points={`${place(ts, low)} ${place(ts, high)}`} />
      <circle className="lift-dot" cx={cx} cy={cy} r={4} />
    </>
  );
}
