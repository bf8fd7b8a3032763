// For the image: makes the optional packages (drivers of S3 and Kafka) dependencies, at their tested versions, so that
// `npm prune --omit=dev` leaves them in place. Changes package.json of the folder it runs in.
import { readFileSync, writeFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
for (const name of Object.keys(manifest.peerDependencies)) {
  manifest.dependencies[name] = manifest.devDependencies[name];
  delete manifest.devDependencies[name];
}
delete manifest.peerDependencies;
delete manifest.peerDependenciesMeta;
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
