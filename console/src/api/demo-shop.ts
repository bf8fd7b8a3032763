// The shop page that `kindred demo` leaves behind. Most services have none.
import { useQuery } from '@tanstack/react-query';
import type { FilmShop } from '../../../src/sample/film-shop.ts';

const SHOP_FILE_PATH = '/demo/shop.json';

/** Whether the demo's shop shows this project. */
export function useIsShop(projectId: string): boolean {
  const { data } = useQuery<FilmShop | null>({
    queryKey: [SHOP_FILE_PATH],
    queryFn: async ({ signal }) => (await (await fetch(SHOP_FILE_PATH, { signal })).json()).shop,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.project_id === projectId;
}
