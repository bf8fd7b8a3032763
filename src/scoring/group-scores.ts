// Scores of groups of cold items, each when it is first asked for: a list needs those of few groups. Belongs to one thread.
import type { ColdGroups } from '../cold-start/cold-groups.ts';

/** Numbers of users begin again after as many. */
const MOST_USERS = 2 ** 32 - 1;

export class GroupScores {
  readonly #groups: ColdGroups;
  #warm: Float32Array = new Float32Array(0);
  #joined: Float32Array | null = null;
  #rankedUnit = 1;
  #floor: number | null = null;
  /** by group: the number of the last user it was scored for, and the score */
  #scoredFor = new Uint32Array(0);
  #scores = new Float32Array(0);
  #user = 0;

  constructor(groups: ColdGroups) {
    this.#groups = groups;
  }

  /**
   * Begins with another user. `joined`: what joins the scores of the warm items and, for a ranked list, is kept apart, on the scale of
   * the ranker. Placed with the rest, a small term could move a cold item past many that score nearly the same.
   */
  start(warm: Float32Array, joined: Float32Array | null, rankedUnit: number): void {
    [this.#warm, this.#joined, this.#rankedUnit, this.#floor] = [warm, joined, rankedUnit, null];
    this.#user++;
    if (this.#scores.length >= this.#groups.count && this.#user <= MOST_USERS) return;
    this.#scoredFor = new Uint32Array(Math.max(this.#scores.length, 2 * this.#groups.count));
    this.#scores = new Float32Array(this.#scoredFor.length);
    this.#user = 1;
  }

  /** The score of a group without the part in `joined`. */
  plain(group: number): number {
    if (this.#scoredFor[group] !== this.#user) {
      this.#scoredFor[group] = this.#user;
      this.#scores[group] = this.#groups.scoreOf(group, this.#warm, group === 0 ? this.#lowest() : 0);
      if (this.#joined !== null) this.#scores[group] -= this.#groups.scoreOf(group, this.#joined, 0);
    }
    return this.#scores[group];
  }

  /** The part of the score that is kept separate for a ranked list; 0 if there is none. */
  joined(group: number): number {
    if (this.#joined === null) return 0;
    return Math.fround(this.#groups.scoreOf(group, this.#joined, 0) * this.#rankedUnit);
  }

  memoryBytes(): number {
    return this.#scoredFor.byteLength + this.#scores.byteLength;
  }

  /** The score of group 0, which is the only one without neighbors. */
  #lowest(): number {
    this.#floor ??= lowest(this.#warm);
    return this.#floor;
  }
}

function lowest(scores: Float32Array): number {
  let lowest = scores.length === 0 ? 0 : scores[0];
  for (let warm = 1; warm < scores.length; warm++) if (scores[warm] < lowest) lowest = scores[warm];
  return lowest;
}
