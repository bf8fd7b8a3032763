// The n-th smallest of many values without holding or sorting them: of the times of all events one or two are needed.

/** Visits the same values, in any order, each time that it is called. */
export type ValuePass = (visit: (value: number) => void) => Promise<void>;

const BUCKETS = 16_384;

/**
 * The values that would be at some places if all were sorted, without holding them: a few passes narrow down where each of them is.
 * `places`: by the number of values. undefined beyond them.
 */
export async function nthSmallestOf(
  pass: ValuePass,
  places: (count: number) => readonly number[],
): Promise<(number | undefined)[]> {
  let count = 0;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  await pass((value) => {
    count++;
    if (value < least) least = value;
    if (value > most) most = value;
  });
  const searches = places(count).map((place) =>
    place >= 0 && place < count ? new PlaceSearch(place, least, most) : null,
  );
  for (;;) {
    const open = searches.filter((search) => search !== null && search.least < search.most) as PlaceSearch[];
    if (open.length === 0) return searches.map((search) => search?.least);
    for (const search of open) search.begin();
    await pass((value) => {
      for (const search of open) search.meet(value);
    });
    for (const search of open) search.narrow();
  }
}

/** Narrows down the value at a position: keeps two bounds of it, and its position among the values between them. */
class PlaceSearch {
  least: number;
  most: number;
  #place: number;
  #counts = new Float64Array(0);
  #leasts = new Float64Array(0);
  #mosts = new Float64Array(0);

  constructor(place: number, least: number, most: number) {
    this.#place = place;
    this.least = least;
    this.most = most;
  }

  begin(): void {
    this.#counts = new Float64Array(BUCKETS);
    this.#leasts = new Float64Array(BUCKETS).fill(Number.POSITIVE_INFINITY);
    this.#mosts = new Float64Array(BUCKETS).fill(Number.NEGATIVE_INFINITY);
  }

  meet(value: number): void {
    if (value < this.least || value > this.most) return;
    // The least and the most are never in one bucket, so every pass narrows.
    const share = (value - this.least) / (this.most - this.least);
    const bucket = Math.min(BUCKETS - 1, Math.floor(share * BUCKETS));
    this.#counts[bucket]++;
    if (value < this.#leasts[bucket]) this.#leasts[bucket] = value;
    if (value > this.#mosts[bucket]) this.#mosts[bucket] = value;
  }

  narrow(): void {
    let bucket = 0;
    while (this.#place >= this.#counts[bucket]) this.#place -= this.#counts[bucket++];
    this.least = this.#leasts[bucket];
    this.most = this.#mosts[bucket];
  }
}
