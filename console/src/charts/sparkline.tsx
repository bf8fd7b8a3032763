// A small chart without axes under a figure: how it went, as columns (counts) or a line (rates). null: nothing to say at that time.
import { linearScale } from '../../../src/base/chart-scale.ts';
import { useWidth } from './use-width.ts';

const HEIGHT = 44;

export interface SparkPoint {
  ts: number;
  value: number | null;
  /** what the point says when it is pointed at */
  title: string;
}

export function Sparkline({ points, shape }: { points: SparkPoint[]; shape: 'columns' | 'line' }) {
  const [box, width] = useWidth<HTMLDivElement>(180);
  const top = Math.max(1e-9, ...points.map(({ value }) => value ?? 0));
  const step = width / Math.max(1, points.length);
  const y = linearScale([0, top], [HEIGHT - 2, 3]);
  const middle = (at: number) => (at + 0.5) * step;
  const known = points.flatMap(({ value }, at) => (value === null ? [] : [{ at, value }]));
  return (
    <div ref={box} className="chart sparkline" aria-hidden="true">
      <svg width={width} height={HEIGHT} aria-hidden="true">
        <line className="grid" x1={0} x2={width} y1={HEIGHT - 1} y2={HEIGHT - 1} />
        {shape === 'line' && known.length > 1 && (
          <>
            <polygon
              className="curve-area"
              points={[
                `${middle(known[0].at)},${HEIGHT - 1}`,
                ...known.map(({ at, value }) => `${middle(at).toFixed(1)},${y(value).toFixed(1)}`),
                `${middle(known.at(-1)!.at)},${HEIGHT - 1}`,
              ].join(' ')}
            />
            <polyline
              className="curve"
              points={known.map(({ at, value }) => `${middle(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}
            />
          </>
        )}
        {shape === 'line' && known.length === 1 && (
          <circle className="curve-dot" cx={middle(known[0].at)} cy={y(known[0].value)} r={3} />
        )}
        {points.map(({ ts, value, title }, at) => (
          <g key={ts}>
            {shape === 'columns' && value !== null && value > 0 && (
              <rect
                className="column"
                x={at * step + Math.min(1, step * 0.15)}
                y={Math.min(HEIGHT - 3, y(value))}
                width={Math.max(1, step - Math.min(2, step * 0.3))}
                height={Math.max(2, HEIGHT - 1 - y(value))}
                rx={Math.min(2, step / 4)}
              />
            )}
            <rect className="hit" x={at * step} y={0} width={step} height={HEIGHT}>
              <title>{title}</title>
            </rect>
          </g>
        ))}
      </svg>
    </div>
  );
}
