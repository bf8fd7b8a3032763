import { KindredError } from '../client/index.ts';

/** The response to a call that the command can do without: null if the key does not cover it. */
export async function ifCovered<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof KindredError && error.code === 'INSUFFICIENT_SCOPE') return null;
    throw error;
  }
}
