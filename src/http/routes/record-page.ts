// A page of users or items as JSON. Each may have a megabyte, so that a page is read in steps and ends at the one with which it is
// full, however few records it has then.
import type { Page, PageRequest } from '../../store/page.ts';

const RECORDS_A_STEP = 100;
const FULL_PAGE_LENGTH = 16 * 1024 * 1024;

export async function recordPage<T>(
  list: (step: PageRequest) => Promise<Page<T>>,
  { page_size, page_token }: PageRequest,
  shown: (record: T) => object | null,
): Promise<string> {
  const texts: string[] = [];
  let length = 0;
  let next = page_token;
  do {
    const step = await list({ page_size: Math.min(RECORDS_A_STEP, page_size - texts.length), page_token: next });
    for (const record of step.entries) {
      const text = JSON.stringify(shown(record));
      texts.push(text);
      length += text.length;
    }
    next = step.next_page_token;
  } while (next !== null && texts.length < page_size && length < FULL_PAGE_LENGTH);
  return `{"records":[${texts.join(',')}],"next_page_token":${JSON.stringify(next)}}`;
}
