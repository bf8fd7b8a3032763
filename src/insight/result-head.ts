// The parts that the result files of all insight jobs share.
import { groupDigits } from './charts/svg.ts';

/** The head of the JSON of every result. */
export interface ResultHead {
  readonly job_id: string;
  readonly project_id: string;
  readonly model_id: string;
  /** time when the result was made, in milliseconds */
  readonly created_ts: number;
  /** users examined: those of the user dataset and those with events */
  readonly total_users: number;
  /** those of them with neither events nor attributes that say anything: they get the distribution of the population */
  readonly population_users: number;
}

/** Mean predicted usage against the observed share, on events the prediction did not see. */
export interface PairCalibration {
  readonly predicted: number;
  readonly observed: number;
  /** absolute value of predicted − observed */
  readonly error: number;
  /** predicted and observed in each tenth of the users, by predicted usage, lowest first */
  readonly tenths: readonly { predicted: number; observed: number }[];
  /** mean over the tenths of |predicted − observed| */
  readonly error_by_tenth: number;
  /** slope of observed on predicted over users: 1 if differences between users are as large as predicted */
  readonly slope: number;
}

export interface CalibrationReport {
  /** where the observed events came from */
  readonly method: string;
  readonly users: number;
  /** one per pair, null if there is nothing to compare with */
  readonly pairs: readonly (PairCalibration | null)[];
}

/** `1, 2 and 3`, the first few of them. */
export function enumerate(parts: readonly string[], most = 5): string {
  const shown = parts.slice(0, most);
  if (parts.length > most) return `${shown.join(', ')} and ${groupDigits(parts.length - most)} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown[shown.length - 1]}`;
}

/** Members of an object up to `members`, left open, so that a long member can be streamed behind them. */
export function openObject(members: object): string {
  const text = JSON.stringify(members);
  return text === '{}' ? '{' : `${text.slice(0, -1)},`;
}
