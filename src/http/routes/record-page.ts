// A page of records as JSON. A user or item may have a megabyte, so a page is read and written in short steps with other calls
// in between, and ends at the step that fills it, however few records it has then.
import { ownTurn } from '../../base/turns.ts';
import { MAX_PAGE_BYTES, type Page, type PageRequest } from '../../store/page.ts';
import type { ListTokens } from '../list-tokens.ts';

const RECORDS_A_STEP = 100;
const BYTES_A_STEP = 256 * 1024;

export async function recordPage<T>(
  list: (step: PageRequest) => Promise<Page<T>>,
  { page_size, page_token }: PageRequest,
  shown: (record: T) => object | null,
  seal: ListTokens['seal'],
): Promise<string> {
  const texts: string[] = [];
  let length = 0;
  let next = page_token;
  do {
    const step = await list({
      page_size: Math.min(RECORDS_A_STEP, page_size - texts.length),
      page_token: next,
      max_bytes: BYTES_A_STEP,
    });
    for (const record of step.entries) {
      const text = JSON.stringify(shown(record));
      texts.push(text);
      length += text.length;
    }
    next = step.next_page_token;
    await ownTurn();
  } while (next !== null && texts.length < page_size && length < MAX_PAGE_BYTES);
  return `{"records":[${texts.join(',')}],"next_page_token":${JSON.stringify(seal(next))}}`;
}
