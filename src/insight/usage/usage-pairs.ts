// The distinct (attribute, value) pairs that a job's queries ask about. Usage is computed once for each, however often it is
// asked.
import type { QueryValue } from '../../domain/insight-request.ts';

export interface UsagePair {
  readonly attribute: string;
  readonly value: QueryValue;
}

export class UsagePairs {
  readonly pairs: UsagePair[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(attribute: string, value: QueryValue): number {
    const key = JSON.stringify([attribute, value]);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.pairs.length);
    return this.pairs.push({ attribute, value }) - 1;
  }
}

/** `genre = Drama`, for people. */
export function pairInWords({ attribute, value }: UsagePair): string {
  return `${attribute} = ${value}`;
}
