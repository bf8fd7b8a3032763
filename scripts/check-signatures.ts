// Whether what is installed has the registry's signatures: `npm audit signatures`, which fails for a bad signature and for a registry that
// has none to offer alike. A mirror without signatures and a machine without a network are told here, and are no error.
import { spawnSync } from 'node:child_process';

export interface SignatureVerdict {
  isBad: boolean;
  line: string;
}

export function verdictOf({ status, output }: { status: number | null; output: string }): SignatureVerdict {
  const audited = /^audited (\d+) package/m.exec(output)?.[1];
  if (audited === undefined) {
    const [, reason] = /^npm error (?!code |errno |syscall )(?:network )?(.+)/m.exec(output) ?? [];
    return { isBad: false, line: `Not checked: signatures of packages (${reason ?? 'npm said nothing'}).` };
  }
  if (status === 0) return { isBad: false, line: `The registry's signatures of ${audited} packages are valid.` };
  // A mirror that has no signature of any package does not pass them on. One that lacks some has others from somewhere else.
  const missing = /^(\d+) packages? ha(?:s a|ve) missing/m.exec(output)?.[1];
  if (missing === audited && !/^\d+ packages? ha(?:s an|ve) invalid/m.test(output)) {
    return { isBad: false, line: `Not checked: signatures of packages (the registry sends none of ${audited}).` };
  }
  return { isBad: true, line: `Packages with a bad or missing signature:\n${output.trim()}` };
}

if (import.meta.main) {
  const args = ['audit', 'signatures', '--no-color', '--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
  const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' });
  const { isBad, line } = verdictOf({ status, output: `${stdout}\n${stderr}` });
  process.stdout.write(`${line}\n`);
  if (isBad) process.exitCode = 1;
}
