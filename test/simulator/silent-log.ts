// The log of all simulated machines. A child of a real logger is created for each job, which takes longer than many of its steps.
import { createLogger, type Logger } from '../../src/observability/logger.ts';

export const SILENT: Logger = Object.assign(createLogger('silent'), { child: () => SILENT });
