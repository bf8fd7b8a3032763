import type { UsageFigures } from '../../src/artifact/usage-maps.ts';

/** Mean distance of predicted and observed over the tenths. */
export function errorByTenth({ tenths }: Pick<UsageFigures, 'tenths'>): number {
  return tenths.reduce((sum, { predicted, observed }) => sum + Math.abs(predicted - observed), 0) / tenths.length;
}
