// Asks for the lists of a page in one call (POST /projects/{project_id}/page): no film comes twice.
import { FILM_DETAILS, type FilmShop } from '../../src/sample/film-shop.ts';

export interface Film {
  item_id: string;
  name: string;
  genres: string[];
  year: number;
  price: number;
  minutes: number;
  language: string;
  image: string;
}

export interface List {
  placement: string;
  recommendation_id: string;
  results: { item: Film; filled?: boolean; pinned?: boolean }[];
  warnings?: { code: string; message: string }[];
}

export interface AskedList {
  name: string;
  item_id?: string;
  item_ids?: string[];
}

/** The response the visitor saw a film in: its events name it. */
const shownBy = new Map<string, string>();

export const recommendationOf = (itemId: string): string | undefined => shownBy.get(itemId);

export async function askForPage(shop: FilmShop, userId: string, placements: AskedList[]): Promise<Map<string, List>> {
  const response = await fetch(`/projects/${shop.project_id}/page?key=${shop.key}`, {
    method: 'POST',
    body: JSON.stringify({ user_id: userId, placements }),
    credentials: 'omit',
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail ?? 'The service did not respond.');
  const lists: List[] = answer.placements;
  for (const { placement, results, recommendation_id } of lists) {
    // Details are no list that a visitor chooses from.
    if (placement === FILM_DETAILS) continue;
    for (const { item } of results) shownBy.set(item.item_id, recommendation_id);
  }
  return new Map(lists.map((list) => [list.placement, list]));
}
