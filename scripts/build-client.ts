// The client as JavaScript, so that `import … from 'kindred/client'` works in a checkout as it does with the package.
import { compile } from './compile.ts';

compile('tsconfig.client.json');
