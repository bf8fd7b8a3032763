// Paging of growing lists: newest first, by (created_ts, id); the token is opaque to clients.

export interface PageRequest {
  page_size: number;
  page_token: string | null;
}

export interface Page<T> {
  entries: T[];
  next_page_token: string | null;
}
