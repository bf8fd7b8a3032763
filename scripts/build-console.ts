// Builds the web console with Vite into build/console, and each text file also as the server sends it, compressed once. An installed
// package ships the built files and has no Vite.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { keepBundled } from './bundled-packages.ts';

const MIN_BYTES = 1024;

if (existsSync('console/vite.config.ts') && existsSync('node_modules/vite')) {
  const { build } = await import('vite');
  await build({ configFile: 'console/vite.config.ts', logLevel: 'warn', plugins: [keepBundled('console')] });
  for (const file of globSync('build/console/**/*.{js,css,html,svg}')) {
    const content = readFileSync(file);
    if (content.length < MIN_BYTES) continue;
    writeFileSync(`${file}.br`, brotliCompressSync(content));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}
