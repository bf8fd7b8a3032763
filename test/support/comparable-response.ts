// A recommendation response without its ids, so that equal lists are equal responses.

export function comparable<T extends object>(response: T): Omit<T, 'recommendation_id' | 'next_page_token'> {
  const { recommendation_id, next_page_token, ...rest } = response as T & Record<string, unknown>;
  return rest as Omit<T, 'recommendation_id' | 'next_page_token'>;
}
