// The terms that are added to the score of a history: the user's attributes, the context of the call, and dislikes.
//
//   score_j = z_j(history) + (λ(n) · lift_j(attributes) + c · lift_j(context)) / τ − δ · (z_j(disliked) − z_j(nothing))
//
// Log lifts are on the scale of log p, z is on that scale once multiplied by τ. λ falls with the length n of the history; λ, c
// and δ are learned in training. Without a history the score is on the scale of log p:
//
//   log p_j + λ(0) · lift_j(attributes) + c(0) · lift_j(context) − δ τ · (z_j(disliked) − z_j(nothing))

import type { G1Model } from '../artifact/g1-model.ts';
import { AttributeLifts } from '../cold-start/attribute-lifts.ts';
import type { Attributes } from '../domain/record.ts';
import type { LiftReason } from './reason.ts';
import type { Scorer } from './scorer.ts';
import type { LiftTerm, UserState } from './user-state.ts';

/** δ of models that did not learn it. */
const DISLIKE_WEIGHT = 0.3;

export interface ExplainedLift extends Omit<LiftReason, 'contribution'> {
  /** sums by the item's place */
  readonly sums: Float64Array;
}

export class ScoreTerms {
  readonly coldUsers: AttributeLifts | null;
  readonly context: AttributeLifts | null;
  readonly #tau: number;
  readonly #dislikeWeight: number;
  readonly #scorer: Scorer;
  readonly #disliked: Float32Array;

  constructor(model: Omit<G1Model, 'experts'>, scorer: Scorer) {
    const { coldUsers, context, calibration, warmItemCount } = model;
    this.#dislikeWeight = model.dislikeWeight ?? DISLIKE_WEIGHT;
    this.coldUsers = coldUsers === null ? null : new AttributeLifts(coldUsers);
    this.context = context ? new AttributeLifts(context) : null;
    this.#tau = calibration.tau;
    this.#scorer = scorer;
    this.#disliked = new Float32Array(warmItemCount);
  }

  /** λ, on the scale of the score: 0 where the user's attributes do not matter. */
  attributeWeight(historyLength: number): number {
    if (this.coldUsers === null) return 0;
    return this.#onScale(this.coldUsers.weightBeside(historyLength), historyLength);
  }

  /** δ, on the scale of the score. */
  dislikeWeight({ history }: Pick<UserState, 'history'>): number {
    return history.length === 0 ? this.#dislikeWeight * this.#tau : this.#dislikeWeight;
  }

  /** The weight of something on the scale of log p. */
  #onScale(weight: number, historyLength: number): number {
    return historyLength === 0 ? weight : weight / this.#tau;
  }

  /**
   * The terms of the attributes and the context, given the length of the history. Terms that add nothing are left out.
   */
  liftTerms(user: { attributes: Attributes; context?: Attributes | undefined }, historyLength: number): LiftTerm[] {
    const terms: LiftTerm[] = [];
    const add = (kind: LiftTerm['kind'], lifts: AttributeLifts | null, attributes: Attributes, weight: number) => {
      const features = lifts === null || !(weight > 0) ? [] : lifts.featuresOf(attributes);
      if (features.length > 0) terms.push({ kind, lifts: lifts!, features, weight });
    };
    add('user-attribute', this.coldUsers, user.attributes, this.attributeWeight(historyLength));
    if (user.context && this.context) {
      const weight = this.#onScale(this.context.contextWeight(historyLength), historyLength);
      add('context', this.context, user.context, weight);
    }
    return terms;
  }

  /** Adds all terms to the scores of the warm items. */
  addTo(scores: Float32Array, { history, lifts, disliked }: Omit<UserState, 'basis'>): void {
    for (const { lifts: tables, features, weight } of lifts) tables.addTo(scores, features, weight);
    if (disliked === null) return;
    const { base } = this.#scorer;
    const weight = this.dislikeWeight({ history });
    this.#scorer.scoreAll(disliked, this.#disliked);
    for (let item = 0; item < scores.length; item++) {
      scores[item] -= weight * (this.#disliked[item] - base[item]);
    }
  }

  /** The contributions of the terms to each item, at its place. Terms with the same reason are merged. */
  explainLifts(lifts: readonly LiftTerm[], placeOf: ReadonlyMap<number, number>): ExplainedLift[] {
    const explained = new Map<string, ExplainedLift>();
    for (const { kind, lifts: tables, features, weight } of lifts) {
      for (const feature of features) {
        const { attribute, value } = tables.describe(feature);
        const key = `${kind}\0${attribute}\0${value}`;
        const lift = explained.get(key) ?? { kind, attribute, value, sums: new Float64Array(placeOf.size) };
        tables.addLifts(lift.sums, feature, weight, placeOf);
        explained.set(key, lift);
      }
    }
    return [...explained.values()];
  }

  memoryBytes(): number {
    return this.#disliked.byteLength;
  }
}
