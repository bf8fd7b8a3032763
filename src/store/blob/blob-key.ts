// Which keys a blob may have: relative paths that mean the same on every file system and in S3 and cannot leave the
// folder.

const SEGMENT = /^[a-z0-9_-][a-z0-9_.-]*$/;
const MAX_LENGTH = 512;

export function isBlobKey(key: string): boolean {
  return key.length <= MAX_LENGTH && key.split('/').every((segment) => SEGMENT.test(segment));
}

export function checkBlobKey(key: string): string {
  if (!isBlobKey(key)) {
    throw new TypeError(`Not a blob key: ${JSON.stringify(key)}. Segments of [a-z0-9_.-], not starting with a dot.`);
  }
  return key;
}
