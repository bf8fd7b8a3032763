// `npm run test:schemathesis`: walks /openapi.json of a running service with schemathesis (from PyPI).
// SCHEMATHESIS names the program, if it is not on the path; without it a line says so. Further words go to schemathesis:
// `npm run test:schemathesis -- --max-examples 200 --seed 7`.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { startServiceProcess } from '../support/service.ts';

const program = process.env.SCHEMATHESIS ?? 'schemathesis';

/** Rules between fields, and page tokens that only the service can make, are more than a schema says: such a call is refused. */
const LEFT_OUT_CHECKS = 'positive_data_acceptance';
/** Disabling the key in use would make everything else return 401. */
const LEFT_OUT_PATHS = '/(disable-api-key|update-api-key|delete-api-key)';

async function run(): Promise<number> {
  const service = await startServiceProcess({ KINDRED_ROLES: 'api,worker', KINDRED_LOG_LEVEL: 'warn' });
  try {
    const child = spawn(
      program,
      [
        'run',
        `${service.baseUrl}/openapi.json`,
        '--checks',
        'all',
        '--exclude-checks',
        LEFT_OUT_CHECKS,
        '--exclude-path-regex',
        LEFT_OUT_PATHS,
        '-H',
        `authorization: Bearer ${await service.token()}`,
        '-H',
        `apikey: ${service.credentials.api_key}`,
        ...process.argv.slice(2),
      ],
      { stdio: 'inherit' },
    );
    const [code] = await once(child, 'exit');
    process.stdout.write(service.output());
    return code ?? 1;
  } finally {
    await service.stop();
  }
}

if (spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0) process.exitCode = await run();
else process.stdout.write(`skipped: there is no ${program} (pip install schemathesis), and SCHEMATHESIS names none\n`);
