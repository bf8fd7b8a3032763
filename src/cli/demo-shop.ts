// Leaves the shop page of `kindred demo`: its placements, a browser key for the page, and the file that lets the service show it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kindred, RequestOf } from '../client/index.ts';
import { type FilmShop, SHOP_FILE, SHOP_LISTS } from '../sample/film-shop.ts';

/** The default port of `kindred serve`, where data that is kept can be served later. */
const DEFAULT_PORT = '8080';

export async function openShop(
  kindred: Kindred,
  {
    baseUrl,
    dataDir,
    projectId,
    viewers,
  }: { baseUrl: string; dataDir: string; projectId: string; viewers: FilmShop['viewers'] },
): Promise<void> {
  for (const { name, kind, defaults, fallback } of SHOP_LISTS) {
    const placement = { project_id: projectId, name, kind, defaults, fallback };
    await kindred.createPlacement(placement as RequestOf<'/create-placement'>);
  }
  const ports = [new URL(baseUrl).port, DEFAULT_PORT];
  const { api_key } = await kindred.createApiKey({
    name: 'demo shop',
    kind: 'browser',
    project_id: projectId,
    origins: [...new Set(ports.flatMap((port) => ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${port}`)))],
  });
  const shop: FilmShop = { project_id: projectId, key: api_key, viewers };
  await writeFile(join(dataDir, SHOP_FILE), `${JSON.stringify(shop, null, 2)}\n`);
}
