// The figures of each variant of an experiment: every metric, and the lift in the one that decides.
import type { ExperimentReport } from '../../../src/client/index.ts';
import { EXPERIMENT_METRICS, METRIC_NAMES } from '../../../src/domain/experiment.ts';
import { type Metric, overridesInWords } from '../api/experiments.ts';
import { capital, formatNumber, formatShare, formatWhole } from '../format.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';

type Variant = ExperimentReport['results']['variants'][number];

export function VariantTable({ experiment: { metric, results, variants } }: { experiment: ExperimentReport }) {
  const columns: Column<Variant>[] = [
    {
      head: 'Variant',
      cell: ({ name }) => (
        <>
          {name}
          <div className="hint">
            {overridesInWords(variants.find((variant) => variant.name === name)?.overrides ?? {})}
          </div>
        </>
      ),
    },
    { head: 'Visitors', align: 'number', cell: ({ visitors }) => formatWhole(visitors) },
    ...EXPERIMENT_METRICS.map(
      (measured): Column<Variant> => ({
        head: capital(METRIC_NAMES[measured]),
        align: 'number',
        cell: ({ metrics }) => <Measured metric={measured} {...metrics[measured]} />,
      }),
    ),
    {
      head: `Lift in ${METRIC_NAMES[metric]}`,
      align: 'number',
      cell: ({ lift, lift_interval }) => <Estimate value={lift} interval={lift_interval} show={formatShare} />,
    },
  ];
  return <DataTable caption="Variants" columns={columns} rows={[...results.variants]} keyOf={({ name }) => name} />;
}

type MetricReading = Variant['metrics'][Metric];

function Measured({ metric, rate, rate_interval }: { metric: Metric } & MetricReading) {
  const show = metric === 'value' ? (value: number) => formatNumber(value, 2) : formatShare;
  return <Estimate value={rate} interval={rate_interval} show={show} />;
}

function Estimate({
  value,
  interval,
  show,
}: {
  value: number | null;
  interval: number[] | null;
  show: (value: number) => string;
}) {
  if (value === null) return '–';
  return (
    <>
      {show(value)}
      {interval && (
        <div className="hint nowrap">
          {show(interval[0])} to {show(interval[1])}
        </div>
      )}
    </>
  );
}
