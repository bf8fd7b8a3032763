// A LIKE pattern (with ESCAPE '\') that finds the text anywhere, taking % and _ literally.

export function searchPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}
