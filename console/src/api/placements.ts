// Placements as the console reads and edits them. A draft is a whole definition: what the editor has no field for stays as it is.
import type { Placement, Project, RequestOf } from '../../../src/client/index.ts';
import {
  ITEM_KINDS,
  type PlacementDefinition,
  type PlacementKind,
  type PlacementRule,
} from '../../../src/domain/placement.ts';
import { useAttributeStatistics } from './statistics.ts';
import { useCall } from './use-call.ts';

export type { PlacementList, PlacementVersion } from '../../../src/client/index.ts';
export type PreviewRequest = NonNullable<RequestOf<'/preview-placement'>['request']>;
export { ITEM_KINDS, type PlacementDefinition, type PlacementKind, type PlacementRule };

/** What the defaults and a rule have in common. */
export type Shape = Pick<PlacementRule, 'filter_query' | 'boosts' | 'pins'>;

export const KIND_NAMES: Record<PlacementKind, string> = {
  for_you: 'For you',
  similar: 'Similar items',
  together: 'Goes together',
  next: 'Comes next',
  popular: 'Popular',
  trending: 'Trending',
  newest: 'Newest',
  continue: 'Continue',
  again: 'Again',
  ranking: 'Ranking of given items',
};

export const NEW_DEFINITION: PlacementDefinition = {
  kind: 'for_you',
  defaults: { limit: 10 },
  rules: [],
  fallback: ['popular'],
  fatigue: null,
};

export function definitionOf({ kind, defaults, rules, fallback, fatigue }: Placement): PlacementDefinition {
  return { kind, defaults, rules, fallback, fatigue };
}

/** The definition as a request takes it. */
export function toRequest(definition: PlacementDefinition): RequestOf<'/preview-placement'>['definition'] {
  return definition as unknown as RequestOf<'/preview-placement'>['definition'];
}

/** On any host, or a poster of the demo, which the service itself draws. */
const PICTURE_ADDRESS = /^(?:https:\/\/\S+|\/demo\/posters\/\S+)\.(?:png|jpe?g|gif|webp|avif|svg)(?:\?\S*)?$/i;
const PICTURE_NAME = /image|img|picture|photo|thumb|cover|poster/i;
const MOST_ATTRIBUTES = 12;

/** The address of an item's picture, if one of its attributes holds one. */
export function pictureOf(attributes: Record<string, unknown>): string | null {
  const address = Object.values(attributes).flat().find(isPicture);
  return address === undefined ? null : String(address);
}

export function isPicture(value: unknown): boolean {
  return typeof value === 'string' && PICTURE_ADDRESS.test(value);
}

/** Attributes that cards show; those that may hold pictures come first, so that they are never cut off. */
export function useCardAttributes(itemDatasetId: string): string[] | undefined {
  const statistics = useAttributeStatistics('item', itemDatasetId);
  if (statistics.error) return [];
  const holdsPictures = ({ attribute, top_values }: { attribute: string; top_values: { value: unknown }[] }) =>
    PICTURE_NAME.test(attribute) || top_values.some(({ value }) => isPicture(value));
  return statistics.data?.attributes
    .toSorted((a, b) => Number(holdsPictures(b)) - Number(holdsPictures(a)))
    .map(({ attribute }) => attribute)
    .slice(0, MOST_ATTRIBUTES);
}

export function usePreview(project: Project, definition: PlacementDefinition | null, request: PreviewRequest | null) {
  const attributes = useCardAttributes(project.item_dataset_id);
  return useCall(
    '/preview-placement',
    {
      project_id: project.project_id,
      definition: toRequest(definition ?? NEW_DEFINITION),
      request: { ...request, attributes },
    },
    { enabled: definition !== null && request !== null && attributes !== undefined, keepPrevious: true },
  );
}
