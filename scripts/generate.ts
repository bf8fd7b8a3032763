// `npm run generate`: writes what is made from the API description. Run it after a change of the API.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../src/config/config.ts';
import { createLogger } from '../src/observability/logger.ts';
import { startService } from '../src/start-service.ts';
import { apiGuide } from './api-guide.ts';
import { type ApiDescription, callMethods, operationTypes, schemaTypes } from './client-from-openapi.ts';
import { withParameterTable } from './parameter-table.ts';
import { pythonFiles } from './python-from-openapi.ts';

/** Path → its content, made from the API description and, where only a part is made, from what it holds now. */
export const GENERATED: Record<string, (api: ApiDescription, now: string) => string> = {
  'src/client/schema-types.ts': (api) => formatted('schema-types.ts', schemaTypes(api)),
  'src/client/operation-types.ts': (api) => formatted('operation-types.ts', operationTypes(api)),
  'src/client/calls.ts': (api) => formatted('calls.ts', callMethods(api)),
  'clients/python/src/kindred/types.py': (api) => pythonFiles(api).types,
  'clients/python/src/kindred/calls.py': (api) => pythonFiles(api).calls,
  'clients/python/src/kindred/async_calls.py': (api) => pythonFiles(api).asyncCalls,
  'docs/api.md': (api) => formatted('api.md', apiGuide(api)),
  'docs/g1.md': (_, now) => formatted('g1.md', withParameterTable(now)),
};

async function readApiDescription(): Promise<ApiDescription> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-generate-'));
  const config = loadConfig({ KINDRED_PORT: '0', KINDRED_DATA_DIR: dataDir, KINDRED_ROLES: 'api' });
  const service = await startService(config, { log: createLogger('fatal') });
  try {
    const answer = await fetch(`${service.baseUrl}/openapi.json`);
    return (await answer.json()) as ApiDescription;
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** As the linter wants it. */
function formatted(path: string, text: string): string {
  const args = ['node_modules/@biomejs/biome/bin/biome', 'format', `--stdin-file-path=${path}`];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { input: text, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

if (process.argv[1] === import.meta.filename) {
  const api = await readApiDescription();
  for (const [path, make] of Object.entries(GENERATED))
    writeFileSync(path, make(api, existsSync(path) ? readFileSync(path, 'utf8') : ''));
}
