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

export function Pager({ pages, next, note }: { pages: Pages; next: string | null | undefined; note?: string }) {
  // While the next page loads, the one before it is in view, and its token is no way further.
  const isLoading = Boolean(next) && next === pages.token;
  if (pages.number === 1 && !next) return note ? <p className="pager">{note}</p> : null;
  return (
    <nav className="pager" aria-label="Pages" aria-busy={isLoading}>
      <span>
        Page {pages.number}
        {note ? ` · ${note}` : ''}
      </span>
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
