// The first users of a `user_list` result, which may name millions: the download ends as soon as they are there.
import type { CallOptions, Kindred, ResultLink, UserListResult } from '../../client/index.ts';

/** Lines before the first user in the result of a job with one query: the head of the result and that of the query. */
const HEAD_LINES = 2;

export async function firstUsers(
  kindred: Kindred,
  job: ResultLink,
  { limit, ...options }: CallOptions & { limit: number },
): Promise<UserListResult> {
  let text = '';
  const save = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
    // After a lost connection, reading starts again from the beginning.
    text = '';
    let lines = 0;
    const decoder = new TextDecoder();
    for await (const chunk of chunks) {
      const part = decoder.decode(chunk, { stream: true });
      text += part;
      lines += part.split('\n').length - 1;
      // Only a line after the next user shows that the list continues.
      if (lines > HEAD_LINES + limit) return;
    }
  };
  await kindred.streamResult(job, save, options);
  const lines = text.split('\n');
  if (lines.length <= HEAD_LINES + limit + 1) return JSON.parse(text);
  const wanted = lines.slice(0, HEAD_LINES + limit).join('\n');
  return JSON.parse(`${wanted.replace(/,$/, '')}]}]}`);
}
