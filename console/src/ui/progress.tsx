import { ProgressBar } from 'react-aria-components';
import { formatShare } from '../format.ts';

export function Progress({
  label,
  fraction,
  note,
  slim,
  hideText,
  share,
}: {
  label: string;
  /** 0 to 1; undefined if unknown. */
  fraction: number | undefined;
  note?: string;
  slim?: boolean;
  hideText?: boolean;
  /** Shows how full something is rather than progress, so small shares are visible. */
  share?: boolean;
}) {
  const percent = fraction === undefined ? undefined : Math.min(100, Math.max(0, fraction * 100));
  return (
    <ProgressBar
      aria-label={label}
      value={percent}
      isIndeterminate={percent === undefined}
      className={slim ? 'progress slim' : 'progress'}
    >
      {!hideText && (
        <div className="progress-line">
          <span className="clip">{note ?? label}</span>
          <span className="numbers soft">
            {percent === undefined ? '' : share ? formatShare(percent / 100) : `${Math.floor(percent)}%`}
          </span>
        </div>
      )}
      <div className="progress-track">
        <div className="progress-fill" style={{ width: `${percent ?? 0}%` }} />
      </div>
    </ProgressBar>
  );
}
