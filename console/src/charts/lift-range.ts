// How far the axis of a chart of lifts reaches.

export interface LiftPoint {
  ts: number;
  lift: number;
  low: number;
  high: number;
}

/** Where nothing happened yet, the axis is this far on both sides. */
const LEAST = 0.05;

/** All lifts, and the newest interval of each series. Early intervals are so wide that later ones could not be seen: they may go beyond. */
export function liftRange(series: readonly (readonly LiftPoint[])[]): [low: number, high: number] {
  const newest = series.flatMap((points) => points.slice(-1));
  const values = [
    ...series.flat().map(({ lift }) => lift),
    ...newest.flatMap(({ low, high }) => [low, high]),
    -LEAST,
    LEAST,
  ];
  return [Math.min(...values), Math.max(...values)];
}
