// Builds the web console with Vite into build/console. An installed package ships the built files and has no Vite.
import { existsSync } from 'node:fs';
import { keepBundled } from './bundled-packages.ts';

if (existsSync('console/vite.config.ts') && existsSync('node_modules/vite')) {
  const { build } = await import('vite');
  await build({ configFile: 'console/vite.config.ts', logLevel: 'warn', plugins: [keepBundled('console')] });
}
