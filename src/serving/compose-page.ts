// The lists of several placements as one response. What one shows no later one shows.
import { MAX_RESPONSE_BYTES, responseTooLarge } from '../domain/response-limit.ts';
import { mergedFields, type PlacementRequest } from '../placements/placement-list.ts';
import type { CallRoom } from './call-room.ts';
import { responseText } from './response-text.ts';

export interface PagePlacement extends PlacementRequest {
  readonly name: string;
}

/** The parts of a placement's response. */
export interface PlacementParts {
  readonly head: object;
  readonly texts: readonly string[];
  readonly itemIds: readonly string[];
}

export type ListOnPage = (name: string, request: PlacementRequest) => Promise<PlacementParts>;

/** `shared`: the fields of the call that apply to all placements. */
export async function composePage(
  listOf: ListOnPage,
  placements: readonly PagePlacement[],
  shared: PlacementRequest,
  room: CallRoom,
): Promise<Buffer> {
  const shown: string[] = [];
  const lists: (string | Buffer)[] = [];
  let bytes = 0;
  for (const { name, ...own } of placements) {
    const exclude_item_ids = [...(shared.exclude_item_ids ?? []), ...(own.exclude_item_ids ?? []), ...shown];
    const { head, texts, itemIds } = await listOf(name, { ...mergedFields(shared, own), exclude_item_ids });
    const text = await responseText(head, texts, room);
    shown.push(...itemIds);
    bytes += Buffer.byteLength(text);
    if (bytes > MAX_RESPONSE_BYTES) throw responseTooLarge();
    lists.push(text);
  }
  room.take(bytes);
  return pageOf(lists);
}

function pageOf(lists: readonly (string | Buffer)[]): Buffer {
  const parts = lists.flatMap((list, n) => [n === 0 ? '' : ',', list]);
  const page = ['{"placements":[', ...parts, ']}'];
  return Buffer.concat(page.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}
