// What the clients were told, and what must therefore be true at the end. A client repeats a write until it is acknowledged, so
// when all clients have come to rest nothing is in doubt: what was acknowledged is there, what was deleted is not.

const CALL_KINDS = [
  ...(['recommendation', 'event write', 'event deletion', 'user merge', 'item write', 'item deletion'] as const),
  ...(['record read', 'job submission', 'job read', 'job cancellation', 'shutdown', 'model deletion'] as const),
  ...(['model read', 'deployment read'] as const),
] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/** Of one kind of call: how many there were, and why those failed that did. */
export interface CallCounts {
  calls: number;
  /** without a fault that explains it: none may */
  failed: number;
  excused: number;
  /** while the machine had no time for anybody */
  starved: number;
}

export class Ledger {
  /** event_id → user_id of every event that must be there */
  readonly present = new Map<string, string>();
  /** event_ids that must not be there */
  readonly deleted = new Set<string>();
  readonly modelsDeleted = new Set<string>();
  readonly complaints: string[] = [];
  readonly #say: (line: string) => void;
  readonly faultKinds = new Set<string>();
  readonly calls = Object.fromEntries(
    CALL_KINDS.map((kind) => [kind, { calls: 0, failed: 0, excused: 0, starved: 0 }]),
  ) as Record<CallKind, CallCounts>;
  /** what struck → how many calls it excused */
  readonly excusedBy: Record<string, number> = {};
  readonly counts = {
    upserts: 0,
    deletes: 0,
    merges: 0,
    jobs: 0,
    failedJobs: 0,
    cancelledJobs: 0,
    shutdowns: 0,
    deployments: 0,
    decisions: 0,
    faults: 0,
    overlappingFaults: 0,
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

  userMerged(from: string, into: string): void {
    for (const [id, owner] of this.present) if (owner === from) this.present.set(id, into);
    this.counts.merges++;
  }

  complain(what: string): void {
    this.complaints.push(what);
    this.#say(`WRONG: ${what}`);
  }
}
