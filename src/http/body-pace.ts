// How slowly a large body may come. What has come of it is held in memory, so one that stalls is refused after a window of time,
// not only at the end of the whole request's.

export interface BodyPace {
  readonly windowMs: number;
  /** What each window must bring, unless the body ends in it. */
  readonly leastBytes: number;
  /** Looks again and again, a window apart, until told to stop. */
  readonly eachWindow: (look: () => void, windowMs: number) => () => void;
}

export const BODY_PACE: BodyPace = {
  windowMs: 30_000,
  leastBytes: 240 * 1024,
  eachWindow(look, windowMs) {
    const timer = setInterval(look, windowMs).unref();
    return () => clearInterval(timer);
  },
};
