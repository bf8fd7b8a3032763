import { compileFilter } from '../../../src/domain/filter/compile-filter.ts';
import { AppError } from '../../../src/errors.ts';

export interface FilterProblem {
  message: string;
  /** From 1; undefined if the service gave none. */
  position?: number;
}

/** `allowsParams`: their values come from a placement's defaults or from a call. */
export function checkFilter(text: string, { allowsParams = false } = {}): FilterProblem | null {
  if (text.trim() === '') return null;
  try {
    const { needs, fold } = compileFilter(text.trim());
    if (!allowsParams || needs.params.size === 0) fold({ nowMs: Date.now() });
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { message: error.message, position: error.extra?.position as number | undefined };
  }
}
