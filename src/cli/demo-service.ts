// The service of `kindred demo`, with nothing of the environment but the port.
import type { Service } from '../service.ts';
import type { Speaker } from './command.ts';
import { UsageError } from './exit-codes.ts';

/**
 * Starts on any free port, so that the demo can run next to another service. If `port` is given and usable, starts on that port.
 */
export async function startDemoService(
  dataDir: string,
  { port, speaker }: { port: string | undefined; speaker: Pick<Speaker, 'say'> },
): Promise<Service> {
  const [{ startService }, { StartRefused }, { ConfigError, loadConfig }, { createLogger }] = await Promise.all([
    import('../start-service.ts'),
    import('../start-checks.ts'),
    import('../config/config.ts'),
    import('../observability/logger.ts'),
  ]);
  const startAt = (KINDRED_PORT: string): Promise<Service> => {
    const config = loadConfig({ KINDRED_PORT, KINDRED_DATA_DIR: dataDir, KINDRED_LOG_LEVEL: 'fatal' });
    return startService(config, { log: createLogger(config.logLevel) });
  };
  try {
    if (!port) return await startAt('0');
    try {
      return await startAt(port);
    } catch (error) {
      if (!(error instanceof StartRefused)) throw error;
      // If the environment is that of a service, as in a container, that service already uses the port.
      const service = await startAt('0');
      speaker.say(`Port ${port} (KINDRED_PORT) cannot be used, so the demo uses a free port.`);
      return service;
    }
  } catch (error) {
    if (error instanceof StartRefused || error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}
