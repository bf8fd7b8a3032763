// A process of its own for each test file costs half a second before its first test, and a second where the file starts a service
// in its own process: nearly all of it is loading modules. So files run in a few processes, through files that import them. Each
// file is a suite there: its hooks hold for its own tests, and it starts when the one before has cleaned up.
// A file keeps its own process when it takes long, or changes what the whole process shares, or sends requests without a
// connection, whose timers end no process, or shares a module with a hook at its top, which holds for the first file alone.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const FOLDER = 'build/test-groups';
/** The longer files take, the fewer are in a group, so that none is left alone at the end. */
const KINDS = [
  { name: 'services', of: /^test\/e2e\//, filesPerGroup: 4 },
  { name: 'contracts', of: /^test\/contract\//, filesPerGroup: 6 },
  { name: 'units', of: /^(src|console)\//, filesPerGroup: 12 },
];
const NEEDS_OWN_PROCESS =
  /process\.(on|umask|chdir)\b|process\.env\S* (\?\?)?= |delete process\.env|\.inject\(|\bmock\b|globalThis|needOwnPostgres|durable: true|kernel-twins\/harness/;

/** The same tests in other files: groups where one was, in the order of the first file of each. */
export function inFewerProcesses(files: readonly string[], isSlow: (file: string) => boolean): string[] {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const isShared = (file: string): boolean => !isSlow(file) && !NEEDS_OWN_PROCESS.test(readFileSync(file, 'utf8'));
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const kind = KINDS.find(({ of }) => of.test(file));
    if (kind === undefined || !isShared(file)) {
      groups.set(file, [file]);
      continue;
    }
    const { name, filesPerGroup } = kind;
    let number = 1;
    while ((groups.get(groupFile(name, number))?.length ?? 0) >= filesPerGroup) number++;
    const group = groups.get(groupFile(name, number)) ?? [];
    groups.set(groupFile(name, number), [...group, file]);
  }
  for (const [group, members] of groups) {
    if (group.startsWith(FOLDER)) writeFileSync(group, textOf(members));
  }
  return [...groups.keys()];
}

const groupFile = (name: string, number: number): string => join(FOLDER, `${name}-${number}.test.ts`);

function textOf(files: readonly string[]): string {
  const suites = files.map(
    (file) => `describe('${file}', async () => void (await import('${relative(FOLDER, file)}')));\n`,
  );
  return `import { describe } from 'node:test';\n${suites.join('')}`;
}
