// `kindred serve`: runs the service until SIGTERM or SIGINT. `npm start` runs it too.
import { flushCompileCache } from 'node:module';
import type { Command } from 'commander';
import { ConfigError, loadConfig, unknownVariables, VARIABLES } from '../config/config.ts';
import { writePrivately } from '../store/private-files.ts';

const STOP_DEADLINE_MS = 9_500;
const PARENT_CHECK_MS = 500;
/** npm_lifecycle_event of `npm start` and `npx kindred serve`. */
const STARTED_BY_NPM = ['start', 'npx'];

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('run the service (API and worker)')
    .addHelpText(
      'after',
      `\nExamples:
  $ kindred serve
  $ KINDRED_PORT=9000 KINDRED_DATA_DIR=/var/lib/kindred kindred serve
  $ KINDRED_ROLES=worker KINDRED_DATABASE_URL=postgres://… kindred serve

Settings, from the environment:\n${Object.entries(VARIABLES)
        .map(([name, text]) => `  ${name.padEnd(22)} ${text}`)
        .join('\n')}`,
    )
    .action(serve);
}

async function serve(): Promise<void> {
  writePrivately();
  endWithStarter();
  // Read before anything that takes time: npm may be killed while the service starts.
  const parent = process.ppid;
  const config = loadConfigOrExit();
  // Imported here, so that other commands start without loading it.
  const { createLogger } = await import('../observability/logger.ts');
  const log = createLogger(config.logLevel);
  for (const warning of unknownVariables()) log.warn(warning);
  const crash = (error: unknown): void => {
    log.fatal({ err: error }, 'ended by an unexpected error');
    log.flush();
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  // Imported here, so that other commands start without loading the whole service.
  const { startService } = await import('../start-service.ts');
  const { StartRefused } = await import('../start-checks.ts');
  const start = () =>
    startService(config, { log }).catch((error: Error) => {
      if (!(error instanceof StartRefused)) log.fatal({ err: error }, 'could not start');
      // A warning about a variable may say why.
      log.flush();
      process.stderr.write(`kindred could not start: ${error.message}\n`);
      process.exit(1);
    });
  let service = await start();
  // Written now, because a service can be killed before it could do so later.
  flushCompileCache();

  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.warn('some work did not end in time and was aborted');
      log.flush();
      process.exit(0);
    }, STOP_DEADLINE_MS).unref();
    await service.stop().catch((error) => log.error({ err: error }, 'could not stop cleanly'));
    log.info('stopped');
    log.flush();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const startAgainWhenReplaced = async (): Promise<void> => {
    await service.replaced;
    if (stopping) return;
    log.error('the database was replaced, by a standby or by an earlier state of it: starting again');
    const late = setTimeout(() => crash(new Error('the service did not stop in time')), STOP_DEADLINE_MS);
    await service.stop().catch((error) => log.error({ err: error }, 'could not stop cleanly'));
    clearTimeout(late);
    if (stopping) return;
    service = await start();
    void startAgainWhenReplaced();
  };
  void startAgainWhenReplaced();
  // Written after the handlers are installed, because whoever reads the address may send a signal at once. One write, so that a
  // reader who waits for it gets the other lines too.
  process.stderr.write(service.greeting.map((line) => `${line}\n`).join(''));
  if (STARTED_BY_NPM.includes(process.env.npm_lifecycle_event ?? '')) onEndOf(parent, () => stop('end of npm'));
}

/**
 * Ends the worker when its channel closes, which means that the API that started it has ended, perhaps before the worker got
 * here. Nothing else would stop it.
 */
function endWithStarter(): void {
  const end = () => process.kill(process.pid, 'SIGTERM');
  if (process.connected === false) end();
  else process.once('disconnect', end);
}

/** A killed npm does not always forward the signal; an orphaned service would keep the port and the data folder. */
function onEndOf(parent: number, stop: () => void): void {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, PARENT_CHECK_MS);
  watch.unref();
}

function loadConfigOrExit() {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\nSee "kindred serve --help".\n`);
    process.exit(2);
  }
}
