// What must hold of experiments. In the store: one runs at a time, an end is final, and a placement gets a version for each promoted
// variant and no other. In lists: what was acknowledged before the call is what the user gets, on every node.
import type { Response } from './api-node.ts';
import type { WatchParts } from './job-watch.ts';
import { PLACEMENT } from './names.ts';

interface StoredVariant {
  readonly name: string;
  readonly overrides: { readonly model_id?: string };
}

export interface SeenExperiment {
  readonly variants: readonly StoredVariant[];
  status: string;
  promoted: string | null;
  /** the version that the placement got by it */
  promotedVersion: number | null;
  /** when the start was acknowledged, and a stop or a promotion */
  startToldMs: number;
  stopToldMs: number;
  promotionToldMs: number;
}

/** A list of the placement. */
type Shown = Response & { readonly placement: NonNullable<Response['placement']> };

export class ExperimentWatch {
  readonly experiments = new Map<string, SeenExperiment>();
  readonly #parts: WatchParts;
  /** of each version of the placement, the model it names */
  readonly #models = new Map<number, string | undefined>([[1, undefined]]);
  readonly #variantOf = new Map<string, string>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  look(): void {
    const { shared, broken } = this.#parts;
    if (shared.changes.experiments.size === 0) return;
    for (const id of shared.changes.experiments) this.#look(id);
    const all = [...this.experiments.values()];
    if (all.filter(({ status }) => status === 'RUNNING').length > 1) broken('two experiments run on one placement');
    // Two that change the same at the same moment are one version.
    const promotions = new Set(all.flatMap(({ promotedVersion }) => promotedVersion ?? [])).size;
    const { version } = this.#placement();
    if (version !== 1 + promotions) broken(`the placement has version ${version} after ${promotions} promotions`);
  }

  /** A list for a call that began at `fromMs`. */
  shown(who: string, userId: string, response: Shown, deployedModelId: string): void {
    const { experiment, version } = response.placement;
    if (experiment !== null) {
      const { experimentId, variant } = experiment;
      const key = `${experimentId} ${userId}`;
      const before = this.#variantOf.get(key) ?? variant;
      this.#variantOf.set(key, variant);
      if (before !== variant) this.#parts.broken(`${who} with variant ${variant}, and with ${before} before`);
    }
    const overrides = experiment && this.#overridesOf(experiment.experimentId, experiment.variant);
    const wanted = overrides?.model_id ?? this.#models.get(version);
    if (wanted === response.modelId) return;
    // Models do not come back: one that is there now was there all the time.
    const isThere = wanted !== undefined && this.#hasModel(wanted);
    if (isThere || response.modelId !== deployedModelId) {
      this.#parts.broken(`${who} with model ${response.modelId} in place of ${wanted ?? deployedModelId}`);
    }
  }

  /** The same, on a node that has lost no message. */
  shownUndisturbed(who: string, fromMs: number, { placement: { experiment, version } }: Shown): void {
    const { broken } = this.#parts;
    for (const [id, seen] of this.experiments) {
      const isIn = experiment?.experimentId === id;
      if (isIn && seen.stopToldMs <= fromMs) broken(`${who} with experiment ${id} after its stop was acknowledged`);
      if (!isIn && seen.startToldMs <= fromMs && seen.status === 'RUNNING') {
        broken(`${who} without experiment ${id}, which runs`);
      }
      if (seen.promotionToldMs <= fromMs && version < seen.promotedVersion!) {
        broken(`${who} with version ${version} after the promotion in version ${seen.promotedVersion}`);
      }
    }
  }

  #look(id: string): void {
    const { shared, counts, broken } = this.#parts;
    const [row] = shared.rows('SELECT status, promoted, variants FROM experiment WHERE experiment_id = ?', id);
    const status = String(row.status);
    const promoted = row.promoted === null ? null : String(row.promoted);
    const seen = this.experiments.get(id) ?? this.#begin(id, JSON.parse(String(row.variants)));
    if (seen.status === 'STOPPED' && status !== 'STOPPED') broken(`experiment ${id} was stopped and runs again`);
    if (seen.promoted !== null && seen.promoted !== promoted) {
      broken(`experiment ${id} had promoted ${seen.promoted}, and now ${promoted}`);
    }
    seen.status = status;
    if (promoted === null || seen.promoted !== null) return;
    counts.promotions++;
    const { version, modelId } = this.#placement();
    seen.promoted = promoted;
    seen.promotedVersion = version;
    const wanted = this.#overridesOf(id, promoted).model_id ?? this.#models.get(version - 1);
    if (modelId !== wanted) broken(`the placement has model ${modelId} after the promotion of ${wanted}`);
    this.#models.set(version, modelId);
  }

  #begin(id: string, variants: readonly StoredVariant[]): SeenExperiment {
    const never = Number.POSITIVE_INFINITY;
    const seen = {
      variants,
      status: 'RUNNING',
      promoted: null,
      promotedVersion: null,
      startToldMs: never,
      stopToldMs: never,
      promotionToldMs: never,
    };
    this.experiments.set(id, seen);
    return seen;
  }

  #overridesOf(experimentId: string, variant: string): StoredVariant['overrides'] {
    return this.experiments.get(experimentId)!.variants.find(({ name }) => name === variant)!.overrides;
  }

  #placement(): { version: number; modelId: string | undefined } {
    const [row] = this.#parts.shared.rows('SELECT version, definition FROM placement WHERE name = ?', PLACEMENT);
    const { defaults } = JSON.parse(String(row.definition)) as { defaults: { model_id?: string } };
    return { version: Number(row.version), modelId: defaults.model_id };
  }

  #hasModel(modelId: string): boolean {
    return this.#parts.shared.rows('SELECT 1 FROM model WHERE model_id = ?', modelId).length > 0;
  }
}
