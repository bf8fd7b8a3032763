// Which test files can find a mutant of a source file: those beside it, and contract tests of its folder.
import { globSync } from 'node:fs';
import { dirname } from 'node:path';

const CONTRACTS: readonly (readonly [folder: string, tests: string])[] = [
  ['src/store/sql', 'test/contract/{job-queue,job-parts,registry,pages}.test.ts'],
  ['src/store/sql', 'test/contract/{*-store,automation,webhooks}.test.ts'],
  ['src/store/outcomes', 'test/contract/outcome-store.test.ts'],
  ['src/store/tallies', 'test/contract/tallies.test.ts'],
  ['src/store', 'test/contract/pages.test.ts'],
  ['src/store', 'src/http/routes/browse.test.ts'],
  ['src/jobs', 'test/contract/{job-parts,job-queue}.test.ts'],
  ['src/serving', 'test/contract/{recommender,related-items}.test.ts'],
];

export function testsOf(root: string, file: string): string[] {
  const patterns = [
    `${dirname(file)}/*.test.ts`,
    ...CONTRACTS.filter(([folder]) => file.startsWith(`${folder}/`)).map(([, tests]) => tests),
  ];
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root })))].sort();
}
