// Answers that may be given again. An answer follows from the deployment, the event dataset, the catalogue and the request, and
// from nothing else; each answer is kept with the versions it was made from, and given again only while all of them are the
// same. The versions are read from the store at every call, so a kept answer is never older than the data: it saves the work,
// not the look.

/** What an answer was made from. */
export interface AnswerSource {
  /** the deployment as an object: a switch makes a new one */
  readonly deployment: object;
  /** the model in memory as an object */
  readonly model: object;
  /** version of the event dataset, read before the events were */
  readonly eventsVersion: number;
  readonly catalogueVersion: number;
}

interface KeptAnswer extends AnswerSource {
  readonly text: string;
}

/** What an entry costs besides its texts. */
const ENTRY_BYTES = 200;

export class KeptAnswers {
  readonly budgetBytes: number;
  /** oldest first */
  readonly #answers = new Map<string, KeptAnswer>();
  #bytes = 0;

  constructor(budgetBytes: number) {
    this.budgetBytes = budgetBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The answer as JSON, if nothing has changed since it was made. */
  find(key: string, source: AnswerSource): string | null {
    const kept = this.#answers.get(key);
    if (
      kept === undefined ||
      kept.eventsVersion !== source.eventsVersion ||
      kept.catalogueVersion !== source.catalogueVersion ||
      kept.deployment !== source.deployment ||
      kept.model !== source.model
    ) {
      return null;
    }
    return kept.text;
  }

  keep(key: string, source: AnswerSource, text: string): void {
    this.#drop(key);
    this.#answers.set(key, { ...source, text });
    this.#bytes += bytesOf(key, text);
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= this.budgetBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const kept = this.#answers.get(key);
    if (kept === undefined) return;
    this.#answers.delete(key);
    this.#bytes -= bytesOf(key, kept.text);
  }
}

function bytesOf(key: string, text: string): number {
  return key.length + text.length + ENTRY_BYTES;
}
