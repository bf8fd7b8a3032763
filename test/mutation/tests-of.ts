// Which test files can find a mutant of a source file: those next to it, contract tests of its folder, tests of a service where they
// are short, and seeds of the simulation.
import { globSync } from 'node:fs';
import { dirname } from 'node:path';

const CONTRACTS: readonly (readonly [folder: string, tests: string])[] = [
  // Short tests of other folders that use what is in src/domain.
  ['src/domain', 'src/http/{auth/authenticator,body-budget,bulk/parser-pool,routes/browse}.test.ts'],
  ['src/domain', 'src/{automation/retraining,jobs/handlers/export,serving/modelless-placement}.test.ts'],
  ['src/domain', 'test/contract/{audit-store,registry}.test.ts'],
  ['src/store/sql', 'test/contract/{job-queue,job-parts,job-parts-queue,registry,pages,paging}.test.ts'],
  [
    'src/store/sql',
    'test/contract/{*-store,account-isolation,automation,named-rows,storage-plan,store-sqlite,webhooks}.test.ts',
  ],
  ['src/store/outcomes', 'test/contract/outcome-store.test.ts'],
  ['src/store/tallies', 'test/contract/tallies.test.ts'],
  ['src/store', 'test/contract/pages.test.ts'],
  ['src/store', 'src/http/routes/browse.test.ts'],
  ['src/jobs', 'test/contract/{job-parts,job-parts-queue,job-queue}.test.ts'],
  ['src/jobs', 'test/e2e/{insight,training}.test.ts'],
  ['src/serving', 'test/contract/recommender.test.ts'],
  ['src/serving', 'test/e2e/{top-items,related,list-fields,serving-lists,placements,experiments}.test.ts'],
  ...['src/jobs', 'src/serving', 'src/store/sql'].map((folder) => [folder, 'test/mutation/some-seeds.ts'] as const),
];

export function testsOf(root: string, file: string): string[] {
  const patterns = [
    `${dirname(file)}/*.test.ts`,
    ...CONTRACTS.filter(([folder]) => file.startsWith(`${folder}/`)).map(([, tests]) => tests),
  ];
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root })))].sort();
}
