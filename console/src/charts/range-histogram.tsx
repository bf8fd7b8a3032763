// A histogram of users by affinity, with a range that can be dragged or moved by keyboard. The range snaps to bin edges, so
// that the number of users in it is exact.
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { linearScale, niceTicks } from '../../../src/base/chart-scale.ts';
import { formatAffinities, formatAffinity, formatCompact, formatWhole, plural } from '../format.ts';
import { useWidth } from './use-width.ts';

export interface Distribution {
  /** One more than counts. */
  edges: number[];
  counts: number[];
  mean?: number;
  median?: number;
}

/** Indexes of edges, low < high. */
export type EdgeRange = [number, number];

export function usersInRange(distribution: Distribution, [low, high]: EdgeRange): number {
  return distribution.counts.slice(low, high).reduce((sum, count) => sum + count, 0);
}

const HEIGHT = 260;
const MARGIN = { top: 22, right: 14, bottom: 38, left: 50 };

export function RangeHistogram({
  distribution,
  range,
  onRangeChange,
  label,
}: {
  distribution: Distribution;
  range: EdgeRange;
  onRangeChange: (range: EdgeRange) => void;
  label: string;
}) {
  const [box, width] = useWidth<HTMLDivElement>();
  const svg = useRef<SVGSVGElement>(null);
  const dragged = useRef<0 | 1 | null>(null);
  const { edges, counts } = distribution;
  const bins = counts.length;
  const top = Math.max(1, ...counts);
  const x = linearScale([edges[0], edges[bins]], [MARGIN.left, width - MARGIN.right]);
  const y = linearScale([0, top], [HEIGHT - MARGIN.bottom, MARGIN.top]);

  const ticks = niceTicks(edges[0], edges[bins], Math.max(2, Math.floor(width / 110)));
  const tickLabels = formatAffinities(ticks);

  const move = (handle: 0 | 1, edge: number) => {
    const next: EdgeRange = [...range];
    next[handle] =
      handle === 0 ? Math.min(Math.max(0, edge), range[1] - 1) : Math.max(Math.min(bins, edge), range[0] + 1);
    if (next[handle] !== range[handle]) onRangeChange(next);
  };
  const edgeAt = (event: PointerEvent) => {
    const bounds = svg.current!.getBoundingClientRect();
    const fraction = (x.invert(event.clientX - bounds.left) - edges[0]) / (edges[bins] - edges[0] || 1);
    return Math.round(fraction * bins);
  };
  const onKey = (handle: 0 | 1) => (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -5,
      PageUp: 5,
      Home: -bins,
      End: bins,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(handle, range[handle] + step);
  };

  return (
    <div ref={box} className="chart">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be drawn in */}
      <svg
        ref={svg}
        width={width}
        height={HEIGHT}
        role="group"
        aria-label={label}
        className="range-chart"
        onPointerDown={(event) => {
          const edge = edgeAt(event);
          dragged.current = Math.abs(edge - range[0]) <= Math.abs(edge - range[1]) ? 0 : 1;
          event.currentTarget.setPointerCapture(event.pointerId);
          move(dragged.current, edge);
        }}
        onPointerMove={(event) => dragged.current !== null && move(dragged.current, edgeAt(event))}
        onPointerUp={() => {
          dragged.current = null;
        }}
        onPointerCancel={() => {
          dragged.current = null;
        }}
      >
        {niceTicks(0, top, 4, { wholeNumbers: true }).map((tick) => (
          <g key={tick} aria-hidden>
            <line className="grid" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(tick)} y2={y(tick)} />
            <text className="tick" x={MARGIN.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
              {formatCompact(tick)}
            </text>
          </g>
        ))}
        <rect
          className="range-band"
          x={x(edges[range[0]])}
          y={MARGIN.top}
          width={Math.max(0, x(edges[range[1]]) - x(edges[range[0]]))}
          height={HEIGHT - MARGIN.top - MARGIN.bottom}
        />
        {counts.map((count, bin) => {
          const left = x(edges[bin]);
          const inRange = bin >= range[0] && bin < range[1];
          return (
            <rect
              key={edges[bin]}
              className={inRange ? 'column' : 'column outside'}
              x={left + 1}
              y={y(count)}
              width={Math.max(1, x(edges[bin + 1]) - left - 2)}
              height={Math.max(count > 0 ? 1 : 0, y(0) - y(count))}
              rx={2}
            >
              <title>{`${formatAffinity(edges[bin])} to ${formatAffinity(edges[bin + 1])}: ${plural(count, 'user')}`}</title>
            </rect>
          );
        })}
        <Marker name="mean" value={distribution.mean} x={x} width={width} />
        {ticks.map((tick, n) => (
          <text key={tick} className="tick" x={x(tick)} y={HEIGHT - 20} textAnchor="middle" aria-hidden>
            {tickLabels[n]}
          </text>
        ))}
        <text className="axis" x={(MARGIN.left + width) / 2} y={HEIGHT - 3} textAnchor="middle" aria-hidden>
          affinity: share of a user’s expected next interactions
        </text>
        {([0, 1] as const).map((handle) => (
          <g
            key={handle}
            role="slider"
            tabIndex={0}
            aria-label={handle === 0 ? 'Lower bound of affinity' : 'Upper bound of affinity'}
            aria-valuemin={edges[0]}
            aria-valuemax={edges[bins]}
            aria-valuenow={edges[range[handle]]}
            aria-valuetext={`${formatAffinity(edges[range[handle]])}; ${formatWhole(usersInRange(distribution, range))} users in range`}
            className="range-handle"
            onKeyDown={onKey(handle)}
          >
            <line
              x1={x(edges[range[handle]])}
              x2={x(edges[range[handle]])}
              y1={MARGIN.top}
              y2={HEIGHT - MARGIN.bottom}
            />
            <rect
              x={x(edges[range[handle]]) - 6}
              y={(HEIGHT - MARGIN.bottom + MARGIN.top) / 2 - 15}
              width={12}
              height={30}
              rx={6}
            />
            <rect className="hit" x={x(edges[range[handle]]) - 14} y={0} width={28} height={HEIGHT - MARGIN.bottom} />
          </g>
        ))}
      </svg>
    </div>
  );
}

function Marker({
  name,
  value,
  x,
  width,
}: {
  name: string;
  value: number | undefined;
  x: (value: number) => number;
  width: number;
}) {
  if (value === undefined || !Number.isFinite(value)) return null;
  const left = x(value);
  const nearEnd = left > width - 110;
  return (
    <g aria-hidden>
      <line className="marker" x1={left} x2={left} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} />
      <text className="tick" x={left + (nearEnd ? -5 : 5)} y={MARGIN.top - 8} textAnchor={nearEnd ? 'end' : 'start'}>
        {name} {formatAffinity(value)}
      </text>
    </g>
  );
}
