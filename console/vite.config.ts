// Builds the console to build/console; the service serves it at /console/ under a strict content security policy. It allows
// no inline script or style, so no asset may become a data: URL and no preload helper may be inlined.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root,
  base: '/console/',
  build: {
    outDir: fileURLToPath(new URL('../build/console', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ['chrome123', 'firefox128', 'safari17.5'],
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    reportCompressedSize: false,
    rolldownOptions: {
      // docs.css styles the API reference, a page of the service. It needs a name that does not change.
      input: [`${root}index.html`, `${root}src/docs.css`],
      output: {
        assetFileNames: ({ names }) =>
          names.includes('docs.css') ? '[name][extname]' : 'assets/[name]-[hash][extname]',
      },
      // Its table of all compressors compiles WebAssembly when it is loaded, which the policy forbids; what is imported does not use it.
      treeshake: { moduleSideEffects: [{ test: /hyparquet-compressors/, sideEffects: false }] },
      // Some libraries mark files for server rendering; here everything runs in the browser.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    },
  },
  server: {
    proxy: {
      '^/(?!console/)': process.env.KINDRED_BASE_URL ?? 'http://127.0.0.1:8080',
    },
  },
});
