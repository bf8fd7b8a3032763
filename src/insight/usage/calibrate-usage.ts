// Measures how far usages can be trusted: compares the predictions for events that were held out in training with these events.
// Well calibrated means that the mean prediction is the observed share, over all users and within each tenth of them by
// prediction.
import type { UsageFigures, UsageMaps } from '../../artifact/usage-maps.ts';
import type { CalibrationReport, PairCalibration } from '../result-head.ts';
import type { UsagePair } from './usage-pairs.ts';

const METHOD =
  'events held out in training: usage as predicted without them; null for a value with fewer than 30 such events';
const UNKNOWN = 'not known: the model was trained by an earlier version, without items, or on too few users';

export function calibrationOf(maps: UsageMaps | null | undefined, pairs: readonly UsagePair[]): CalibrationReport {
  if (!maps) return { method: UNKNOWN, users: 0, pairs: pairs.map(() => null) };
  return {
    method: METHOD,
    users: maps.questions,
    pairs: pairs.map(({ attribute, value }) => {
      const mapped = maps.values.find((one) => one.attribute === attribute && one.value === value);
      return mapped === undefined ? null : reported(mapped.figures);
    }),
  };
}

function reported({ predicted, observed, slope, tenths }: UsageFigures): PairCalibration {
  const errors = tenths.map((tenth) => Math.abs(tenth.predicted - tenth.observed));
  return {
    predicted: short(predicted),
    observed: short(observed),
    error: short(Math.abs(predicted - observed)),
    tenths: tenths.map((tenth) => ({ predicted: short(tenth.predicted), observed: short(tenth.observed) })),
    error_by_tenth: short(errors.reduce((sum, error) => sum + error, 0) / Math.max(1, errors.length)),
    slope: short(slope),
  };
}

function short(value: number): number {
  return Number(value.toFixed(6));
}
