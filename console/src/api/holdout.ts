// What recommendations add: visitors who see them, compared with those of the same experiment who see popular items, its holdout. Compared by
// visitor, because what one person does several times is no more evidence than what they do once.
import type { Experiment, ExperimentReport, PlacementReportRow } from '../../../src/client/index.ts';
import { alwaysValidLift, MISS_CHANCE } from '../../../src/domain/always-valid.ts';
import type { ExperimentMetric } from '../../../src/domain/experiment.ts';
import type { Interval } from '../../../src/domain/intervals.ts';

export interface HoldoutComparison {
  experimentId: string;
  name: string;
  clicks: Compared;
  conversions: Compared;
}

/** Shares of visitors who clicked or converted. */
export interface Compared {
  rate: number;
  holdoutRate: number;
  /** null: it is too early to tell */
  lift: Interval | null;
}

/** The running experiment with the most lists that has a holdout. */
export function holdoutExperiment(
  totals: readonly PlacementReportRow[],
  experiments: readonly Experiment[],
): string | null {
  const served = (id: string) =>
    totals.filter(({ experiment_id }) => experiment_id === id).reduce((sum, row) => sum + row.served, 0);
  const found = experiments
    .filter((experiment) => experiment.status === 'RUNNING' && holdoutsOf(experiment).length > 0)
    .map(({ experiment_id }) => ({ experiment_id, served: served(experiment_id) }))
    .filter((one) => one.served > 0)
    .sort((a, b) => b.served - a.served);
  return found.at(0)?.experiment_id ?? null;
}

/** Since the experiment began; null: one side has had no visitors. */
export function compareWithHoldout(experiment: ExperimentReport): HoldoutComparison | null {
  const holdouts = holdoutsOf(experiment);
  const [held, rest] = [true, false].map((isHeld) =>
    experiment.results.variants.filter(({ name }) => holdouts.includes(name) === isHeld),
  );
  const compared = (metric: ExperimentMetric): Compared => {
    const [control, variant] = [held, rest].map((variants) => {
      const converted = sumOf(variants, ({ visitors_with }) => visitors_with[metric]);
      return {
        visitors: sumOf(variants, ({ visitors }) => visitors),
        sum: converted,
        sumOfSquares: converted,
        converted,
      };
    });
    return {
      rate: variant.sum / variant.visitors,
      holdoutRate: control.sum / control.visitors,
      lift: alwaysValidLift(control, variant, MISS_CHANCE),
    };
  };
  if ([held, rest].some((variants) => sumOf(variants, ({ visitors }) => visitors) === 0)) return null;
  return {
    experimentId: experiment.experiment_id,
    name: experiment.name,
    clicks: compared('click'),
    conversions: compared('target'),
  };
}

const holdoutsOf = ({ variants }: Pick<Experiment, 'variants'>): string[] =>
  variants.filter(({ overrides }) => overrides.kind === 'popular').map(({ name }) => name);

function sumOf<Row>(rows: readonly Row[], read: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + read(row), 0);
}
