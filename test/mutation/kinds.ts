// The two kinds of mutants: of sources, by Stryker, and of the SQL that the stores run.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlMutants, templateOf } from './sql-mutants.ts';
import { ACTIVE_MUTANT, type Mutant, plantMutants } from './stryker.ts';

export interface Candidate {
  /** what a test must have reached to notice it */
  place: string;
  /** makes it active */
  env: Readonly<Record<string, string>>;
  /** counted together */
  group: string;
  describe(): string;
}

export interface Kind {
  /** preloaded in the run that tells what each test reaches */
  recorder: string;
  /** of a line that the recorder wrote */
  placeOf(recorded: string): string;
  candidates(reached: ReadonlySet<string>): Candidate[];
}

const short = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 70);

/** Writes the sources with all their mutants into the copy. */
export async function sourceMutants(root: string, copy: string, sources: readonly string[]): Promise<Kind> {
  const originals = sources.map((name) => ({ name, content: readFileSync(join(root, name), 'utf8') }));
  const { files, mutants } = await plantMutants(originals);
  for (const { name, content } of files) writeFileSync(join(copy, name), content);
  const describe = ({ fileName, mutatorName, replacement, location: { start, end } }: Mutant): string => {
    const { content } = originals.find(({ name }) => name === fileName)!;
    const lines = content.split('\n').slice(start.line, end.line + 1);
    lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.column);
    const original = lines.join(' ').slice(start.column);
    return `${fileName}:${start.line + 1} ${mutatorName}: ${short(original)} → ${short(replacement)}`;
  };
  return {
    recorder: 'record-coverage.ts',
    placeOf: (id) => id,
    candidates: () =>
      mutants.map((mutant) => ({
        place: mutant.id,
        env: { [ACTIVE_MUTANT]: mutant.id },
        group: mutant.fileName,
        describe: () => describe(mutant),
      })),
  };
}

/** Changes of the statements that the tests run. */
export function statementMutants(preload: (name: string) => string): Kind {
  const recorder = 'change-statements.ts';
  return {
    recorder,
    placeOf: templateOf,
    candidates: (reached) =>
      [...reached].sort().flatMap((template) =>
        sqlMutants(template).map(({ change, sql }, no) => ({
          place: template,
          env: { NODE_OPTIONS: preload(recorder), ACTIVE_SQL_MUTANT: JSON.stringify({ template, no }) },
          group: change,
          describe: () => `${change}: ${template} → ${differing(template, sql)}`,
        })),
      ),
  };
}

/** The part of the second text that is not in the first, with a few characters around it. */
function differing(before: string, after: string): string {
  let start = 0;
  while (before[start] === after[start] && start < after.length) start++;
  let end = 0;
  while (before.at(-1 - end) === after.at(-1 - end) && end < after.length - start) end++;
  return `…${after.slice(Math.max(0, start - 25), after.length - end + 25)}…`;
}
