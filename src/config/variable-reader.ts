// Reads variables of the environment and collects what is wrong with them, so that all problems are told at once. An empty variable
// counts as unset. One that is refused still gives a value, which nobody sees: a ConfigError follows.
export type Environment = Readonly<Record<string, string | undefined>>;

export interface WholeRange {
  readonly from: number;
  readonly to: number;
  /** for error messages, such as "seconds" */
  readonly unit?: string;
}

export class VariableReader<Name extends string = string> {
  readonly problems: string[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  text(name: Name): string | null {
    return this.#env[name]?.trim() || null;
  }

  /** Separated by commas. `isRight`: of each entry. */
  list(name: Name, isRight: (entry: string) => boolean = () => true, wanted = ''): string[] {
    const entries = (this.text(name) ?? '').split(',').flatMap((entry) => entry.trim() || []);
    const wrong = entries.find((entry) => !isRight(entry));
    if (wrong !== undefined) this.refuse(name, wrong, wanted);
    return entries;
  }

  whole<Unset>(name: Name, unset: Unset, { from, to, unit }: WholeRange): number | Unset {
    const text = this.text(name);
    if (text === null) return unset;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= from && value <= to)) {
      this.refuse(name, text, `a whole number${unit ? ` of ${unit}` : ''} from ${from} to ${to}`);
    }
    return value;
  }

  oneOf<Word extends string>(name: Name, words: readonly Word[], unset: NoInfer<Word>): Word {
    const text = this.text(name) ?? unset;
    const word = words.find((one) => one === text);
    const wanted = words.length === 2 ? words.join(' or ') : `one of ${words.join(', ')}`;
    if (word === undefined) this.refuse(name, text, wanted);
    return word ?? unset;
  }

  isTrue(name: Name): boolean {
    return this.oneOf(name, ['true', 'false'], 'false') === 'true';
  }

  url(name: Name, protocols: readonly string[], wanted: string): string | null {
    const text = this.text(name);
    if (text !== null && !isUrl(text, protocols)) this.refuse(name, text, wanted);
    return text;
  }

  refuse(name: Name, value: string, wanted: string): void {
    this.problems.push(`${name} is "${value}" but must be ${wanted}.`);
  }
}

export function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}
