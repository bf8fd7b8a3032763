// The TLS of the command's own connections, by the same options and rules as that of postgres_fdw:
// https://www.postgresql.org/docs/current/libpq-ssl.html
import { readFileSync } from 'node:fs';
import { type ConnectionOptions, getCACertificates } from 'node:tls';
import { MoveRefused } from './move-refused.ts';
import type { Options } from './server-address.ts';

/** Returns undefined to follow the environment (PGSSLMODE), by default without TLS. */
export function tlsOf({ sslmode = '', sslrootcert = '' }: Options): ConnectionOptions | false | undefined {
  if (sslmode === 'disable') return false;
  if (sslmode === '' && sslrootcert === '') return undefined;
  // With a root certificate file, `require` checks the certificate too.
  if (!sslmode.startsWith('verify') && sslrootcert === '') return { rejectUnauthorized: false };
  const isFull = sslmode === 'verify-full' || sslrootcert === 'system';
  return {
    ...(sslrootcert !== '' && { ca: readAuthorities(sslrootcert) }),
    // The other modes do not compare the name in the certificate with that of the host.
    ...(!isFull && { checkServerIdentity: () => undefined }),
  };
}

/** The main server reads the file of the same path on its own machine. */
function readAuthorities(path: string): string | string[] {
  if (path === 'system') return getCACertificates('system');
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new MoveRefused(
      `Cannot read the file of sslrootcert on this machine (${(error as Error).message}). It must be at this path here and where the main server runs.`,
    );
  }
}
