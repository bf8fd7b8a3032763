// The HTTP Basic header of a client: RFC 6749 2.3.1, both parts form-encoded before they are joined.

export interface BasicCredentials {
  id: string;
  secret: string;
}

/** Returns null if there is no such header. */
export function readBasicHeader(authorization: string | undefined): BasicCredentials | 'malformed' | null {
  const encoded = /^Basic +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (!encoded) return null;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) return 'malformed';
  try {
    return { id: decodeURIComponent(decoded.slice(0, colon)), secret: decodeURIComponent(decoded.slice(colon + 1)) };
  } catch {
    return 'malformed';
  }
}
