// The action of a button: runs once at a time and keeps its last error.
import { useMutation } from '@tanstack/react-query';

export interface Action {
  start: () => void;
  isPending: boolean;
  error: unknown;
  reset: () => void;
}

export function useAction(work: () => Promise<unknown>): Action {
  const mutation = useMutation({ mutationFn: work });
  return {
    start: () => {
      if (!mutation.isPending) mutation.mutate();
    },
    isPending: mutation.isPending,
    error: mutation.error,
    reset: mutation.reset,
  };
}
