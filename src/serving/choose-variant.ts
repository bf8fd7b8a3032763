// The variant of a placement that a call gets: by the user's id, so always the same one. A call for nobody in particular takes no
// part: it could get another variant every time.
import { withOverrides } from '../domain/experiment.ts';
import type { PlacementDefinition } from '../domain/placement.ts';
import { assignVariant } from '../outcomes/experiments/assign-variant.ts';
import type { LivePlacement } from './live-placements.ts';

export interface ChosenVariant {
  readonly experimentId: string;
  readonly variant: string;
}

export interface ChosenDefinition {
  /** null for a definition that is not stored */
  readonly name: string | null;
  readonly version: number | null;
  readonly definition: PlacementDefinition;
  /** null if no experiment runs, or the call does not take part */
  readonly experiment: ChosenVariant | null;
  /** true for a preview, whose lists are not counted */
  readonly isPreview?: boolean;
}

export function chooseVariant(placement: LivePlacement, userId: string | null | undefined): ChosenDefinition {
  const { name, current, experiment } = placement;
  const { version, definition } = current;
  if (experiment === null || !userId) return { name, version, definition, experiment: null };
  const { experiment_id: experimentId, variants } = experiment;
  const variant = assignVariant(experimentId, userId, variants);
  const { overrides } = variants.find((one) => one.name === variant)!;
  return { name, version, definition: withOverrides(definition, overrides), experiment: { experimentId, variant } };
}

/** The variant and the experiment in the form that the id of a list carries. */
export function originOf(experiment: ChosenVariant | null) {
  return { variant: experiment?.variant ?? null, experimentId: experiment?.experimentId ?? null };
}
