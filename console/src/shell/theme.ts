// The theme: light, dark, or the system's. public/theme.js applies the same choice before the first paint.
import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'kindred-theme';

function read(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(read);
  return [
    theme,
    (next) => {
      setTheme(next);
      if (next === 'system') delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = next;
      try {
        if (next === 'system') localStorage.removeItem(KEY);
        else localStorage.setItem(KEY, next);
      } catch {
        // Storage may be blocked: the choice lasts until the page is reloaded.
      }
    },
  ];
}
