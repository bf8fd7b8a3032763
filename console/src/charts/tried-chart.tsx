// What training tried, in order: each variant's NDCG on held-out events as a dot, the best so far as a line and, once known,
// the NDCG of the blend. While training runs, the axis has room for variants still to come.

import { linearScale, niceTicks } from '../../../src/base/chart-scale.ts';
import { familyInWords, settingsInWords, type TriedVariant } from '../api/variants.ts';
import { formatNumber } from '../format.ts';
import { useWidth } from './use-width.ts';

const HEIGHT = 220;
const MARGIN = { top: 26, bottom: 26, left: 44 };
/** Space for the label of the blend's line. */
const BLEND_WIDTH = 86;
/** While training runs, the axis grows by this many variants at a time. */
const ROOM = 12;

export function TriedChart({
  tried,
  blended,
  isRunning,
}: {
  tried: readonly TriedVariant[];
  blended?: number;
  isRunning?: boolean;
}) {
  const [box, width] = useWidth<HTMLDivElement>();
  const families = [...new Set(tried.map(familyInWords))];
  const top = Math.max(blended ?? 0, ...tried.map(({ ndcg }) => ndcg)) || 1;
  const places = isRunning ? Math.ceil((tried.length + 1) / ROOM) * ROOM : tried.length;
  const right = width - (blended === undefined ? 12 : BLEND_WIDTH);
  const x = linearScale([0, Math.max(1, places - 1)], [MARGIN.left + 8, right]);
  const y = linearScale([0, top], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  let best = 0;
  const bestSoFar = tried.map(({ ndcg }, index) => {
    best = Math.max(best, ndcg);
    return `${x(index)},${y(best)}`;
  });
  return (
    <div ref={box} className="chart">
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`${tried.length} variants tried; the best alone reached NDCG ${formatNumber(best)}${blended === undefined ? '' : `, their blend ${formatNumber(blended)}`}`}
      >
        <text className="axis" x={0} y={12}>
          NDCG
        </text>
        {niceTicks(0, top, 4).map((tick) => (
          <g key={tick}>
            <line className="grid" x1={MARGIN.left} x2={right} y1={y(tick)} y2={y(tick)} />
            <text className="tick" x={MARGIN.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
              {formatNumber(tick)}
            </text>
          </g>
        ))}
        <polyline className="curve" points={bestSoFar.join(' ')} />
        {blended !== undefined && (
          <g>
            <line className="marker" x1={MARGIN.left} x2={right} y1={y(blended)} y2={y(blended)} />
            <text className="tick" x={right + 6} y={y(blended)} dy="0.32em">
              blend {formatNumber(blended)}
            </text>
          </g>
        )}
        {tried.map((variant, index) => (
          <circle
            // biome-ignore lint/suspicious/noArrayIndexKey: the order of trying is what a variant is known by
            key={index}
            cx={x(index)}
            cy={y(variant.ndcg)}
            r={4}
            style={{ fill: `var(--group-${(families.indexOf(familyInWords(variant)) % 8) + 1})` }}
          >
            <title>{`${familyInWords(variant)} (${settingsInWords(variant)}): ${formatNumber(variant.ndcg)}`}</title>
          </circle>
        ))}
        <text className="axis" x={(MARGIN.left + right) / 2} y={HEIGHT - 6} textAnchor="middle">
          {tried.length === 0 ? 'trying the first variant' : 'in the order tried'}
        </text>
      </svg>
      <ul className="legend">
        {families.map((family, index) => (
          <li key={family}>
            <span className="dot" style={{ background: `var(--group-${(index % 8) + 1})` }} />
            {family}
          </li>
        ))}
      </ul>
    </div>
  );
}
