// A metric of a model next to the same metric of the popularity baseline, as two bars on one scale.
import { formatNumber } from '../format.ts';

export interface ComparedFigure {
  name: string;
  /** What the metric means, in one sentence. */
  meaning: string;
  model: number;
  baseline: number;
}

export function CompareBars({ figures, baselineName }: { figures: ComparedFigure[]; baselineName: string }) {
  return (
    <ul className="compare">
      {figures.map((figure) => {
        const top = Math.max(figure.model, figure.baseline, 1e-9);
        return (
          <li key={figure.name}>
            <div className="row spread">
              <h3>{figure.name}</h3>
              <span className="tag accent numbers" title="compared with popularity">
                {timesText(figure.model, figure.baseline)}
              </span>
            </div>
            <CompareBar name="This model" value={figure.model} share={figure.model / top} strong />
            <CompareBar name={baselineName} value={figure.baseline} share={figure.baseline / top} />
            <p className="hint">{figure.meaning}</p>
          </li>
        );
      })}
    </ul>
  );
}

function CompareBar({ name, value, share, strong }: { name: string; value: number; share: number; strong?: boolean }) {
  return (
    <div className="compare-line">
      <span className="small soft">{name}</span>
      <span className="compare-track">
        <span
          className={strong ? 'compare-fill strong' : 'compare-fill'}
          style={{ width: `${Math.max(1, share * 100)}%` }}
        />
      </span>
      <span className="small numbers">{formatNumber(value, 3)}</span>
    </div>
  );
}

function timesText(model: number, baseline: number): string {
  if (baseline <= 0) return model > 0 ? 'baseline is 0' : 'equal';
  const times = model / baseline;
  return `${times >= 10 ? Math.round(times) : times.toFixed(1)} ×`;
}
