// A process of its own for each test file costs half a second before its first test, and most files under src are done in
// less. They run in a few processes instead, through files that import them. A file keeps its own process when it takes long
// or has hooks at its top, which would hold for the whole process, or sends requests without a connection, whose timers end none.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const FOLDER = 'build/test-groups';
const FILES_PER_GROUP = 12;
const NEEDS_OWN_PROCESS = /^(before|after|beforeEach|afterEach)\(|process\.(env|on)|\.inject\(|\bmock\b|globalThis/m;

/** The same tests in other files: groups of unit tests, and all others as they are. */
export function inFewerProcesses(files: readonly string[], isSlow: (file: string) => boolean): string[] {
  const isUnit = (file: string): boolean =>
    /^(src|console|test\/contract)\//.test(file) &&
    !isSlow(file) &&
    !NEEDS_OWN_PROCESS.test(readFileSync(file, 'utf8'));
  const units = files.filter(isUnit);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const groups: string[] = [];
  for (let from = 0; from < units.length; from += FILES_PER_GROUP) {
    const group = join(FOLDER, `units-${groups.length + 1}.test.ts`);
    const imports = units.slice(from, from + FILES_PER_GROUP).map((file) => `import '${relative(FOLDER, file)}';\n`);
    writeFileSync(group, imports.join(''));
    groups.push(group);
  }
  return [...files.filter((file) => !isUnit(file)), ...groups];
}
