// Takes the one-time code out of the address, so that it stays neither in sight nor in the history.

export function takeSignInCode(): string | null {
  const match = /^#\/?(?:sign-in\?)?code=([\w-]+)$/.exec(location.hash);
  if (!match) return null;
  history.replaceState(null, '', `${location.pathname}#/`);
  return match[1];
}
