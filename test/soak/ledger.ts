// What the clients were told, and what must therefore be true at the end. A client repeats a write until it is acknowledged, so
// when all clients have come to rest nothing is in doubt: what was acknowledged is there, what was deleted is not.

export class Ledger {
  /** event_id → user_id of every event that must be there */
  readonly present = new Map<string, string>();
  /** event_ids that must not be there */
  readonly deleted = new Set<string>();
  readonly modelsDeleted = new Set<string>();
  readonly complaints: string[] = [];
  readonly #say: (line: string) => void;
  readonly faultKinds = new Set<string>();
  readonly counts = {
    upserts: 0,
    repeats: 0,
    deletes: 0,
    recommendations: 0,
    excused: 0,
    starved: 0,
    jobs: 0,
    faults: 0,
  };

  /** `say` hears of complaints at once: a run may have most of an hour before it. */
  constructor(say: (line: string) => void = () => {}) {
    this.#say = say;
  }

  stored(eventIds: readonly string[], userId: string): void {
    for (const id of eventIds) {
      this.present.set(id, userId);
      this.deleted.delete(id);
    }
    this.counts.upserts++;
  }

  userDeleted(userId: string): void {
    for (const [id, owner] of this.present) {
      if (owner !== userId) continue;
      this.present.delete(id);
      this.deleted.add(id);
    }
    this.counts.deletes++;
  }

  complain(what: string): void {
    this.complaints.push(what);
    this.#say(`WRONG: ${what}`);
  }
}
