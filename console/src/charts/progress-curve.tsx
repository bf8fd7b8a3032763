// The progress of a running job since this page was opened, phase by phase.
import { useEffect, useState } from 'react';
import { linearScale } from '../../../src/base/chart-scale.ts';
import type { Job } from '../../../src/client/index.ts';
import { formatDuration } from '../format.ts';
import { useWidth } from './use-width.ts';

interface Sample {
  atMs: number;
  fraction: number;
  phase: string;
}

const HEIGHT = 120;

export function ProgressCurve({ job }: { job: Job }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [samples, setSamples] = useState<Sample[]>([]);
  const { fraction, phase } = job.progress;
  useEffect(() => {
    setSamples((seen) => [...seen, { atMs: Date.now(), fraction, phase }].slice(-600));
  }, [fraction, phase]);
  if (samples.length < 3) return null;
  const first = samples[0].atMs;
  const last = samples[samples.length - 1].atMs;
  const x = linearScale([first, last], [4, width - 4]);
  const y = linearScale([0, 1], [HEIGHT - 18, 6]);
  const line = samples.map((sample) => `${x(sample.atMs).toFixed(1)},${y(sample.fraction).toFixed(1)}`);
  const turns = samples.filter((sample, index) => index > 0 && sample.phase !== samples[index - 1].phase);
  return (
    <div ref={box} className="chart">
      <svg width={width} height={HEIGHT} role="img" aria-label={`Progress over ${formatDuration(last - first)}`}>
        <line className="grid" x1={4} x2={width - 4} y1={y(0)} y2={y(0)} />
        <polygon className="curve-area" points={`4,${y(0)} ${line.join(' ')} ${x(last)},${y(0)}`} />
        <polyline className="curve" points={line.join(' ')} />
        {turns.map((turn) => (
          <g key={turn.atMs}>
            <line className="marker" x1={x(turn.atMs)} x2={x(turn.atMs)} y1={6} y2={y(0)} />
            {x(turn.atMs) < width - 90 && (
              <text className="tick" x={x(turn.atMs) + 4} y={16}>
                {turn.phase}
              </text>
            )}
          </g>
        ))}
        <text className="tick" x={width - 4} y={HEIGHT - 4} textAnchor="end">
          {formatDuration(last - first)} watched
        </text>
      </svg>
    </div>
  );
}
