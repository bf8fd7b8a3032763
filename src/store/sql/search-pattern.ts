// LIKE patterns (with ESCAPE '\') that find a text anywhere, taking % and _ literally.

export function searchPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}

/** Finds the text in stored JSON, where quotes and backslashes are escaped. */
export const jsonSearchPattern = (text: string): string => searchPattern(JSON.stringify(text).slice(1, -1));
