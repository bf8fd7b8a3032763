// The way from a machine to the store: every call takes time both ways and may be lost, before the store has seen it or after the
// store has done it. The caller gets the same error in both cases and cannot tell them apart, as with a broken connection.
import type { Random } from '../../src/base/seeded-random.ts';
import { AppError } from '../../src/errors.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

const MAX_USUAL_MS = 4;
const GIVE_UP_MS = 3000;
/** Of the calls from an unlucky place. */
const UNLUCKY_SLOW_SHARE = 0.5;
const UNLUCKY_LOST_SHARE = 0.2;
/** A place that has called fewer times than this is a rare one: what it does is worth a disturbance more than a poll is. */
const RARE_CALLS = 3;

/** A statement or the name of a place that writes. */
const IS_WRITE = /^\s*(insert|update|delete|write)/i;

export interface NetworkFaults {
  /** of all calls */
  readonly lostShare: number;
  readonly slowShare: number;
  readonly slowestMs: number;
  /** of the places in the code that call: there, many calls are slow, and lost where any are */
  readonly unluckyShare: number;
  /** of the calls from rare places: they are slow, and something else happens meanwhile */
  readonly disturbedShare: number;
}

const NO_FAULTS: NetworkFaults = { lostShare: 0, slowShare: 0, slowestMs: 0, unluckyShare: 0, disturbedShare: 0 };

export class Network {
  readonly #world: World;
  readonly #random: Random;
  #faults = NO_FAULTS;
  readonly #isUnlucky = new Map<string, boolean>();
  readonly #calls = new Map<string, number>();
  /** lets something else happen */
  disturb: () => void = () => {};
  /** messages that were lost so far */
  lost = 0;
  /** calls on their way to the store, and those of before `heal` */
  #underway = { calls: 0 };
  readonly #early = this.#underway;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random;
  }

  /** From now on messages are slow and lost. */
  begin(faults: NetworkFaults): void {
    this.#faults = faults;
  }

  /** No more faults. Calls that are slow already stay slow. */
  heal(): void {
    this.#faults = NO_FAULTS;
    this.#isUnlucky.clear();
    this.#underway = { calls: 0 };
  }

  /** Whether the store has seen every call that was made before `heal`. */
  get isHealed(): boolean {
    return this.#early.calls === 0;
  }

  /** Runs `work` at the store's side in one instant and returns its result to the machine. `place` names the code that calls. */
  call<T>(machine: Machine, place: string, work: () => T | Promise<T>): Promise<T> {
    const isUnlucky = this.#isUnluckyPlace(place);
    const random = this.#random;
    // A write is late on its way there, a read on its way back: what it was decided on, or what it says, is old by then.
    const late = this.#isDisturbed(place) ? (IS_WRITE.test(place) ? 'there' : 'back') : null;
    return new Promise<T>((resolve, reject) => {
      if (machine.isCutOff || (this.#isLost(isUnlucky) && random.chance(0.5))) {
        this.#fail(machine, random.next() * (machine.isCutOff ? GIVE_UP_MS : MAX_USUAL_MS), reject);
        return;
      }
      const underway = this.#underway;
      underway.calls++;
      const arrive = () => {
        underway.calls--;
        let respond: () => void;
        try {
          const result = work();
          respond = () => resolve(result);
        } catch (error) {
          respond = () => reject(error);
        }
        const takesMs = this.#takesMs(isUnlucky) + (late === 'back' ? this.#late() : 0);
        if (machine.isCutOff || (this.#isLost(isUnlucky) && random.chance(0.5))) this.#fail(machine, takesMs, reject);
        else this.#world.schedule(takesMs, () => machine.receive(respond));
      };
      const takesMs = this.#takesMs(isUnlucky) + (late === 'there' ? this.#late() : 0);
      this.#world.schedule(takesMs, arrive, false);
    });
  }

  #isUnluckyPlace(place: string): boolean {
    const { unluckyShare } = this.#faults;
    if (unluckyShare === 0) return false;
    let isUnlucky = this.#isUnlucky.get(place);
    if (isUnlucky === undefined) {
      isUnlucky = this.#random.chance(unluckyShare);
      this.#isUnlucky.set(place, isUnlucky);
    }
    return isUnlucky;
  }

  #isDisturbed(place: string): boolean {
    const { disturbedShare } = this.#faults;
    if (disturbedShare === 0) return false;
    const calls = this.#calls.get(place) ?? 0;
    if (calls >= RARE_CALLS) return false;
    this.#calls.set(place, calls + 1);
    return this.#random.chance(disturbedShare);
  }

  /** Something else happens before the message arrives. */
  #late(): number {
    const { slowestMs } = this.#faults;
    this.#world.schedule(this.#random.next() * slowestMs, () => this.disturb());
    return slowestMs;
  }

  #isLost(isUnlucky: boolean): boolean {
    const { lostShare } = this.#faults;
    return lostShare > 0 && this.#random.chance(isUnlucky ? UNLUCKY_LOST_SHARE : lostShare);
  }

  #takesMs(isUnlucky: boolean): number {
    const { slowShare, slowestMs } = this.#faults;
    const share = isUnlucky ? UNLUCKY_SLOW_SHARE : slowShare;
    const isSlow = share > 0 && this.#random.chance(share);
    return this.#random.next() * (isSlow ? slowestMs : MAX_USUAL_MS);
  }

  #fail(machine: Machine, delayMs: number, reject: (error: Error) => void): void {
    this.lost++;
    this.#world.schedule(delayMs, () =>
      machine.receive(() => {
        machine.disturbedMs = this.#world.nowMs;
        reject(new AppError('STORE_UNAVAILABLE', 'The connection to the store was lost.'));
      }),
    );
  }
}
