// Builds clients/shop, the shop page of the demo, to build/demo. Names do not change: the service has a route for each file.
import { existsSync } from 'node:fs';
import { keepBundled } from './bundled-packages.ts';

if (existsSync('clients/shop') && existsSync('node_modules/vite')) {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: 'clients/shop',
    base: '/demo/',
    logLevel: 'warn',
    plugins: [keepBundled('demo')],
    build: {
      outDir: '../../build/demo',
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: ['chrome123', 'firefox128', 'safari17.5'],
      reportCompressedSize: false,
      rolldownOptions: { output: { entryFileNames: 'shop.js', assetFileNames: 'shop[extname]' } },
    },
  });
}
