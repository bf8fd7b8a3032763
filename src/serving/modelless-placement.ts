// What a placement shows while its project has no deployed model: the top lists among its kind and its fallbacks, each filling what
// the one before left open, with everything else that the placement says of its list.
import type { UsedObjective } from '../domain/objective.ts';
import type { PlacementDefinition, PlacementRule } from '../domain/placement.ts';
import type { Project } from '../domain/project.ts';
import { type PlacementRequest, placementList } from '../placements/placement-list.ts';
import { TOP_LISTS, type TopListKind } from '../placements/top-list.ts';
import type { CallRoom } from './call-room.ts';
import type { ChosenDefinition } from './choose-variant.ts';
import type { TopCall } from './top-call.ts';

export interface ModellessParts {
  readonly top: TopCall;
}

/** In their order; empty: the placement has none. */
export function topKindsOf({ kind, fallback }: PlacementDefinition): TopListKind[] {
  return [kind, ...fallback].flatMap((one) => TOP_LISTS.find((by) => by === one) ?? []);
}

interface TopResult {
  readonly item: { readonly item_id: string };
  readonly score: number;
  readonly pinned?: boolean;
}

export async function modellessResponse(
  { top }: ModellessParts,
  project: Project,
  { name, version, definition, experiment }: ChosenDefinition,
  {
    call,
    rules,
    tops: [by, ...fallback],
    room,
  }: { call: PlacementRequest; rules: readonly PlacementRule[]; tops: readonly TopListKind[]; room: CallRoom },
) {
  const { request, filters } = placementList({ ...definition, kind: by, fallback: [] }, call, rules);
  const { model_id, ...fields } = request;
  const windowed = { ...definition.defaults, ...call };
  const response = JSON.parse(
    String(
      await top.list(
        project,
        {
          ...{ ...fields, by, window_hours: windowed.window_hours, event_type: windowed.event_type },
          ...(windowed.objective && { objective: windowed.objective }),
        },
        { placement: name, call, experiment, isPreview: name === null, filters, fallback },
        room,
      ),
    ),
  );
  const message = `No model is deployed: this is what is ${by}.`;
  return {
    ...{
      placement: name,
      version,
      variant: experiment?.variant ?? null,
      kind: definition.kind,
      rules: rules.map((rule) => rule.name),
    },
    ...{ user_id: call.user_id ?? null, limit: response.limit, attributes: response.attributes },
    ...(response.objective ? { objective: response.objective as UsedObjective } : {}),
    ...{ filter_query: call.filter_query ?? null, model_id: null, next_page_token: response.next_page_token },
    recommendation_id: response.recommendation_id,
    warnings: [{ code: 'NO_MODEL', message }, ...(response.warnings ?? [])],
    results: (response.results as TopResult[]).map(({ score, ...result }) => ({
      ...result,
      ...(by !== definition.kind && !result.pinned && { filled: true }),
    })),
  };
}
