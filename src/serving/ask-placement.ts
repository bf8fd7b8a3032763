// Finds the parts of a placement that depend on the user: the rules that apply, by time and by their conditions on user
// and context, and the items that the user has seen too often.
import { DAY_MS } from '../base/durations.ts';
import { userHash } from '../base/id-hash.ts';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import type { PlacementDefinition, PlacementRule } from '../domain/placement.ts';
import type { Project } from '../domain/project.ts';
import { activeRules, type PlacementRequest, placementList } from '../placements/placement-list.ts';
import type { OutcomeStore } from '../store/outcome-store.ts';
import type { CallFilters } from './call-filters.ts';
import type { AskedList } from './questions.ts';

export async function holdingRules(
  { filters, runtime = systemRuntime }: Pick<AskingParts, 'filters' | 'runtime'>,
  project: Project,
  { rules, defaults }: PlacementDefinition,
  call: PlacementRequest,
): Promise<PlacementRule[]> {
  if (rules.length === 0) return [];
  const texts = [...new Set(rules.flatMap(({ only_if }) => only_if ?? []))];
  const folded = await filters.foldAll(
    texts.map((text) => filters.compile(text)),
    {
      project,
      user_id: call.user_id ?? null,
      context: call.context ?? defaults.context,
      filter_params: { ...defaults.filter_params, ...call.filter_params },
    },
  );
  const holding = new Set(
    texts.filter((_, n) => {
      const { filter } = folded[n];
      return filter.kind === 'constant' && filter.holds;
    }),
  );
  return activeRules(rules, runtime.nowMs(), (onlyIf) => holding.has(onlyIf));
}

export interface AskingParts {
  readonly filters: CallFilters;
  readonly outcomes: Pick<OutcomeStore, 'shownInVain'>;
  readonly runtime?: Runtime;
}

/** Returns the list that a call to the placement asks for, and the rules that were applied. */
export async function askPlacement(
  parts: AskingParts,
  project: Project,
  definition: PlacementDefinition,
  call: PlacementRequest,
): Promise<{ asked: AskedList; rules: PlacementRule[] }> {
  const rules = await holdingRules(parts, project, definition, call);
  const wanted = placementList(definition, call, rules);
  const tired = await tiredItems(parts, project, definition, call);
  return { asked: { ...wanted, ...(tired && { tired }) }, rules };
}

/** Items shown too often to the user without an event that followed. */
async function tiredItems(
  { outcomes, runtime = systemRuntime }: AskingParts,
  project: Project,
  { fatigue }: PlacementDefinition,
  { user_id }: PlacementRequest,
): Promise<ReadonlySet<number> | undefined> {
  if (fatigue === null || !user_id) return undefined;
  return outcomes.shownInVain(project.event_dataset_id, {
    userHash: userHash(project.account_id, user_id),
    after: fatigue.after,
    sinceTs: runtime.nowMs() - fatigue.days * DAY_MS,
  });
}
