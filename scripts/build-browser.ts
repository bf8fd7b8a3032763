// Builds clients/browser to build/browser/kindred.js, one small module. An installed package ships the built file and has no Vite.
import { existsSync } from 'node:fs';

export const BROWSER_FILE = 'build/browser/kindred.js';

export async function buildBrowser(): Promise<void> {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: 'clients/browser',
    logLevel: 'warn',
    build: {
      outDir: '../../build/browser',
      emptyOutDir: true,
      target: ['chrome123', 'firefox128', 'safari17.5'],
      reportCompressedSize: false,
      minify: true,
      lib: { entry: 'index.ts', formats: ['es'], fileName: () => 'kindred.js' },
    },
  });
}

if (process.argv[1] === import.meta.filename && existsSync('clients/browser') && existsSync('node_modules/vite')) {
  await buildBrowser();
}
