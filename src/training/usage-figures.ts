// Predicted usages against what came: over all users, within each tenth of them, and as a slope.
import type { UsageFigures } from '../artifact/usage-maps.ts';

const TENTHS = 10;

export function usageFigures(predicted: Float64Array, observed: ArrayLike<number>): UsageFigures {
  const order = Uint32Array.from(predicted.keys()).sort((a, b) => predicted[a] - predicted[b] || a - b);
  const mean = (from: number, to: number) => {
    let said = 0;
    let seen = 0;
    for (let at = from; at < to; at++) {
      said += predicted[order[at]];
      seen += observed[order[at]];
    }
    return { predicted: said / Math.max(1, to - from), observed: seen / Math.max(1, to - from) };
  };
  const all = mean(0, order.length);
  const tenths = Array.from({ length: TENTHS }, (_, tenth) =>
    mean(Math.floor((tenth * order.length) / TENTHS), Math.floor(((tenth + 1) * order.length) / TENTHS)),
  );
  let together = 0;
  let alone = 0;
  for (let n = 0; n < predicted.length; n++) {
    together += (predicted[n] - all.predicted) * (observed[n] - all.observed);
    alone += (predicted[n] - all.predicted) ** 2;
  }
  return { ...all, slope: alone > 0 ? together / alone : 1, tenths };
}
