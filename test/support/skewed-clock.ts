// Preloaded into a process (`node --import`): its wall clock is off by TEST_CLOCK_SKEW_MS, as on a machine whose clock was set
// wrong. Threads and child processes inherit it. The monotonic clock (performance.now) is left alone, as a real one would be.

const skewMs = Number(process.env.TEST_CLOCK_SKEW_MS);
const RealDate = Date;

class SkewedDate extends RealDate {
  constructor(...args: [] | ConstructorParameters<typeof Date>) {
    if (args.length === 0) super(RealDate.now() + skewMs);
    else super(...args);
  }

  static override now(): number {
    return RealDate.now() + skewMs;
  }
}

globalThis.Date = SkewedDate as DateConstructor;
