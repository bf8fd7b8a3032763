// Paging by tokens: forward with the token of the response, back through the tokens used so far.
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Button } from './button.tsx';

export interface Pages {
  /** Token of the page in view; undefined for the first. */
  token: string | undefined;
  number: number;
  next: (token: string) => void;
  previous: () => void;
  first: () => void;
}

export function usePages(): Pages {
  const [tokens, setTokens] = useState<string[]>([]);
  return {
    token: tokens.at(-1),
    number: tokens.length + 1,
    next: (token) => setTokens([...tokens, token]),
    previous: () => setTokens(tokens.slice(0, -1)),
    first: () => setTokens([]),
  };
}

/** What a list has returned so far. */
interface Listed {
  data?: { next_page_token: string | null };
  /** It still shows what the request before it returned. */
  isPlaceholderData: boolean;
}

export function Pager({ pages, list }: { pages: Pages; list: Listed }) {
  const next = list.data?.next_page_token;
  // The token in view is of the page, or of the filter, before.
  const isLoading = list.isPlaceholderData;
  if (pages.number === 1 && !next) return null;
  return (
    <nav className="pager" aria-label="Pages" aria-busy={isLoading}>
      <span>Page {pages.number}</span>
      <span className="row">
        <Button size="small" onPress={pages.previous} isDisabled={pages.number === 1}>
          <ChevronLeft size={15} aria-hidden /> Previous
        </Button>
        <Button size="small" onPress={() => next && pages.next(next)} isDisabled={!next || isLoading}>
          Next <ChevronRight size={15} aria-hidden />
        </Button>
      </span>
    </nav>
  );
}
