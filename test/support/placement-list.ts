// A list of a placement as the API returns it.
export interface PlacementList {
  placement: string | null;
  version: number | null;
  kind: string;
  rules: string[];
  limit: number;
  recommendation_id: string;
  next_page_token: string | null;
  warnings?: { code: string }[];
  results: { item: Record<string, unknown> & { item_id: string }; pinned?: boolean; filled?: boolean }[];
}

export const idsOf = ({ results }: Pick<PlacementList, 'results'>) => results.map(({ item }) => item.item_id);
export const codesOf = ({ warnings = [] }: Pick<PlacementList, 'warnings'>) => warnings.map(({ code }) => code);
