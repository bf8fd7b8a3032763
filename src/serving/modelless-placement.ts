// Makes the list of a placement whose project has no deployed model: from the top lists among its kind and its fallbacks, each
// filling the places that the previous one left, with all other settings of the placement.
import type { PlacementDefinition, PlacementRule } from '../domain/placement.ts';
import type { Project } from '../domain/project.ts';
import { TOP_LISTS, type TopListKind } from '../domain/top-list.ts';
import { mergedFields, type PlacementRequest, placementList } from '../placements/placement-list.ts';
import type { CallRoom } from './call-room.ts';
import type { ChosenDefinition } from './choose-variant.ts';
import { markOf } from './response-text.ts';
import type { TopCall } from './top-call.ts';

export interface ModellessParts {
  readonly top: TopCall;
}

/** The placement's top lists, in their order; empty if it has none. */
export function topKindsOf({ kind, fallback }: PlacementDefinition): TopListKind[] {
  return [kind, ...fallback].flatMap((one) => TOP_LISTS.find((by) => by === one) ?? []);
}

/** The parts of the placement's response if no model is deployed. */
export async function modellessList(
  { top }: ModellessParts,
  project: Project,
  { name, version, definition, experiment, isPreview }: ChosenDefinition,
  {
    call,
    rules,
    tops: [by, ...fallback],
    room,
  }: { call: PlacementRequest; rules: readonly PlacementRule[]; tops: readonly TopListKind[]; room: CallRoom },
) {
  const { request, filters } = placementList({ ...definition, fallback: [] }, call, rules, by);
  const { model_id, ...fields } = request;
  const { window_hours, event_type, objective: wanted }: PlacementRequest = mergedFields(definition.defaults, call);
  const { head, items, texts } = await top.list(
    project,
    {
      ...fields,
      by,
      window_hours,
      event_type,
      ...(wanted && { objective: wanted }),
    },
    { placement: name, call, experiment, isPreview, filters, fallback },
    room,
  );
  const { limit, attributes, objective, recommendation_id, next_page_token, warnings = [] } = head;
  const message = `No model is deployed: this is what is ${by}.`;
  const isFilled = by !== definition.kind;
  return {
    head: {
      placement: name,
      version,
      variant: experiment?.variant ?? null,
      kind: definition.kind,
      rules: rules.map((rule) => rule.name),
      user_id: call.user_id ?? null,
      limit,
      attributes,
      ...(objective && { objective }),
      filter_query: call.filter_query ?? null,
      model_id: null,
      next_page_token,
      recommendation_id,
      warnings: [{ code: 'NO_MODEL', message }, ...warnings],
    },
    texts: texts.map((text, n) => text + markOf(isFilled ? { ...items[n], filled: true } : items[n])),
    itemIds: items.map(({ item_id }) => item_id),
  };
}
