// Runs before the first paint, so that a chosen theme never flashes in the other theme's colors.
try {
  const theme = localStorage.getItem('kindred-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be blocked; the system's theme is used.
}
