// Experiments in requests and responses.
import { Type } from 'typebox';
import {
  DEFAULT_MIN_DAYS,
  EXPERIMENT_METRICS,
  MAX_MIN_DAYS,
  MAX_VARIANT_NAME_LENGTH,
  MAX_VARIANTS,
  MIN_VARIANTS,
} from '../../domain/experiment.ts';
import { CLEAN_TEXT_PATTERN, closed, Name, nullable, oneOf, open, ServiceId, TimeMs } from './common.ts';
import { closedAs, openAs } from './named.ts';
import { DefaultFields, PlacementKindField, PlacementName } from './placements.ts';

const VariantName = Type.String({
  minLength: 1,
  maxLength: MAX_VARIANT_NAME_LENGTH,
  pattern: CLEAN_TEXT_PATTERN,
  description: 'Unique within the experiment.',
});
const Share = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1_000_000,
  description: 'Share of the users, relative to the other shares: 1 and 1 are halves.',
});
const OverrideFields = { kind: Type.Optional(PlacementKindField), ...DefaultFields };
const Metric = oneOf(EXPERIMENT_METRICS, {
  description:
    'Per visitor: click (default), who had an event with the id of a list; target, who had a target event; value, the sum of target values.',
});

export const CreateExperimentBody = closed({
  project_id: ServiceId,
  placement: PlacementName,
  name: Type.Optional(Name),
  variants: Type.Array(
    closed({
      name: VariantName,
      share: Share,
      overrides: Type.Optional(closedAs('VariantOverrides', OverrideFields)),
    }),
    { minItems: MIN_VARIANTS, maxItems: MAX_VARIANTS, description: 'The first one is the control.' },
  ),
  metric: Type.Optional(Metric),
  min_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_MIN_DAYS,
      default: DEFAULT_MIN_DAYS,
      description: 'No winner is named earlier: weekends differ from workdays.',
    }),
  ),
});

export const ExperimentFields = {
  experiment_id: ServiceId,
  project_id: ServiceId,
  name: Type.String(),
  placement: Type.String(),
  variants: Type.Array(
    openAs('ExperimentVariant', {
      name: Type.String(),
      share: Type.Number(),
      overrides: openAs('VariantOverrides', OverrideFields),
    }),
  ),
  metric: oneOf(EXPERIMENT_METRICS),
  min_days: Type.Integer(),
  status: oneOf(['RUNNING', 'STOPPED'] as const),
  created_ts: TimeMs,
  stopped_ts: nullable(TimeMs),
  promoted: nullable(Type.String({ description: 'The variant the placement got when the experiment was stopped.' })),
  decided: nullable(
    openAs('ExperimentDecision', { decided_ts: TimeMs, winner: Type.String(), sentence: Type.String() }),
  ),
};

export const ExperimentResponse = openAs('Experiment', ExperimentFields);

const Interval = Type.Array(Type.Number(), { minItems: 2, maxItems: 2 });

const METRIC_READING = {
  rate: nullable(Type.Number({ description: 'Per visitor: share of those who converted, or value.' })),
  rate_interval: nullable(Interval),
  lift: nullable(Type.Number({ description: 'Over the control: 0.1 is 10% above it. null for the control.' })),
  lift_interval: nullable(Interval),
};
const MetricReading = openAs('MetricReading', METRIC_READING);

export const ExperimentResults = openAs('ExperimentResults', {
  variants: Type.Array(
    open({
      name: Type.String(),
      share: Type.Number(),
      visitors: Type.Integer({ description: 'Users who got at least one list.' }),
      converted: Type.Integer({ description: 'How many of them clicked, had a target event or brought value.' }),
      visitors_with: open({
        click: Type.Integer({ description: 'Visitors who clicked, whatever the metric of the experiment is.' }),
        target: Type.Integer({ description: 'Visitors who had a target event.' }),
        value: Type.Integer({ description: 'Visitors who brought value.' }),
      }),
      ...METRIC_READING,
      metrics: Type.Object(
        { click: MetricReading, target: MetricReading, value: MetricReading },
        { description: 'The same for every metric. The experiment is decided by its own.' },
      ),
    }),
  ),
  split_as_planned: Type.Boolean({ description: 'false: visitors were lost or doubled; do not trust the figures.' }),
  winner: nullable(Type.String({ description: 'The variant that is clearly best, not before min_days.' })),
  sentence: Type.String({ description: 'The result in plain words.' }),
});

export const ExperimentHistory = Type.Array(
  open({
    ts: TimeMs,
    variants: Type.Array(
      open({ name: Type.String(), lift: nullable(Type.Number()), lift_interval: nullable(Interval) }),
    ),
  }),
  { description: 'Lifts over time, oldest first: hour by hour for two weeks, then day by day.' },
);
