// The one-time code in the address that `npm start` prints: `/console/#signin=CODE`.

const PATTERN = /^#\/?signin=([\w-]+)$/;

export function hasSignInCode(): boolean {
  return PATTERN.test(location.hash);
}

/** Takes the code out of the address, so that it stays neither in sight nor in the history. */
export function takeSignInCode(): string | null {
  const match = PATTERN.exec(location.hash);
  if (!match) return null;
  history.replaceState(null, '', `${location.pathname}#/`);
  return match[1];
}
