// Builds clients/browser to build/browser/kindred.js, one small module. An installed package ships the built file and has no Vite.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { keepBundled } from './bundled-packages.ts';

export const BROWSER_FILE = 'build/browser/kindred.js';

/** The file is replaced at once: a service or a second build at the same time never meets half of it, or none. */
export async function buildBrowser(): Promise<void> {
  const { build } = await import('vite');
  mkdirSync(dirname(BROWSER_FILE), { recursive: true });
  const folder = mkdtempSync(resolve('build/building-browser-'));
  await build({
    configFile: false,
    root: 'clients/browser',
    logLevel: 'warn',
    plugins: [keepBundled('browser')],
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: ['chrome123', 'firefox128', 'safari17.5'],
      reportCompressedSize: false,
      minify: true,
      lib: { entry: 'index.ts', formats: ['es'], fileName: () => 'kindred.js' },
    },
  });
  renameSync(join(folder, 'kindred.js'), BROWSER_FILE);
  rmSync(folder, { recursive: true });
}

if (process.argv[1] === import.meta.filename && existsSync('clients/browser') && existsSync('node_modules/vite')) {
  await buildBrowser();
}
