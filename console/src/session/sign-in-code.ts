// The one-time code in the address that `npm start` prints: `/console/#signin=CODE`.

const PATTERN = /^#\/?signin=([\w-]+)$/;

export function hasSignInCode(): boolean {
  return PATTERN.test(location.hash);
}

/** Removes the code from the address, so that it is neither visible nor in the browser history. */
export function takeSignInCode(): string | null {
  const match = PATTERN.exec(location.hash);
  if (!match) return null;
  history.replaceState(null, '', `${location.pathname}#/`);
  return match[1];
}
