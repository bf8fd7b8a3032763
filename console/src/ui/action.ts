// The action of a button: runs once at a time and keeps its last error.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

export interface Action {
  start: () => void;
  isPending: boolean;
  error: unknown;
  reset: () => void;
}

/** `then` closes the dialog or leads to another page, unless the visitor has closed the dialog or left the page meanwhile. */
export function useAction<Result>(work: () => Promise<Result>, then?: (result: Result) => void): Action {
  // The mutation's own flag comes a moment later: a second click or Escape may be faster.
  const [isPending, setPending] = useState(false);
  const mutation = useMutation({ mutationFn: work, onSettled: () => setPending(false) });
  return {
    start: () => {
      if (isPending) return;
      setPending(true);
      mutation.mutate(undefined, { onSuccess: then });
    },
    isPending,
    error: mutation.error,
    reset: mutation.reset,
  };
}
