// The way from a machine to the store: every call takes time both ways and may be lost, before the store has seen it or after the
// store has done it. The caller gets the same error in both cases and cannot tell them apart, as with a broken connection.
import { AppError } from '../../src/errors.ts';
import type { Machine } from './machine.ts';

const MAX_USUAL_MS = 4;
const MAX_SLOW_MS = 1500;
const GIVE_UP_MS = 3000;

export interface NetworkFaults {
  /** of a call */
  lostShare: number;
  slowShare: number;
}

/** Runs `work` at the store's side in one instant and returns its result to the machine. */
export function callStore<T>(machine: Machine, faults: NetworkFaults, work: () => T): Promise<T> {
  const { world } = machine;
  const { random } = world;
  const takesMs = () => random.next() * (random.chance(faults.slowShare) ? MAX_SLOW_MS : MAX_USUAL_MS);
  return new Promise<T>((resolve, reject) => {
    const fail = (delayMs: number) => {
      world.schedule(delayMs, () =>
        machine.receive(() => {
          machine.disturbedMs = world.nowMs;
          reject(new AppError('STORE_UNAVAILABLE', 'The connection to the store was lost.'));
        }),
      );
    };
    if (machine.isCutOff || (random.chance(faults.lostShare) && random.chance(0.5))) {
      fail(random.next() * (machine.isCutOff ? GIVE_UP_MS : MAX_USUAL_MS));
      return;
    }
    world.schedule(takesMs(), () => {
      let answer: () => void;
      try {
        const result = work();
        answer = () => resolve(result);
      } catch (error) {
        answer = () => reject(error);
      }
      if (machine.isCutOff || random.chance(faults.lostShare / 2)) fail(takesMs());
      else world.schedule(takesMs(), () => machine.receive(answer));
    });
  });
}
