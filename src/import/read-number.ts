// Numbers as people write them in files: 1234.5, and where a column shows which mark is the decimal one, also 1.234,5 and 1,234.5.

/** Digits in groups, by the mark before the decimals. Spaces and apostrophes are between groups in both. */
const WRITTEN = {
  ',': /^[+-]?(\d+|\d{1,3}([. \u00a0\u202f'’]\d{3})+)(,\d+)?$/,
  '.': /^[+-]?(\d+|\d{1,3}([, \u00a0\u202f'’]\d{3})+)(\.\d+)?$/,
} as const;
const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const WHOLE = /^[+-]?\d+$/;
/** Ids and codes look like numbers, and stay texts. */
const LEADING_ZERO = /^[+-]?0\d/;

/** `plain`: as in programs. `,` and `.`: that mark is before the decimals, and digits may be in groups. */
export type NumberFormat = 'plain' | ',' | '.';

/** 12,5 can only have a decimal comma, and 12.5 a decimal point; 1,234 shows neither, and stays a text. */
export function guessNumberFormat(texts: readonly string[]): NumberFormat {
  const shows = (mark: ',' | '.', other: ',' | '.') =>
    texts.some((text) => WRITTEN[mark].test(text) && !WRITTEN[other].test(text));
  const [comma, point] = [shows(',', '.'), shows('.', ',')];
  if (comma === point) return 'plain';
  return comma ? ',' : '.';
}

/** Reads a cell that may also be an id or a code. Returns NaN for those, and for text that is not a number in this format. */
export function parseNumber(text: string, format: NumberFormat): number {
  if (LEADING_ZERO.test(text)) return Number.NaN;
  const digits = digitsOf(text, format);
  const value = readDigits(digits);
  // Whole numbers that would lose digits are ids, and stay texts.
  return digits !== null && WHOLE.test(digits) && !Number.isSafeInteger(value) ? Number.NaN : value;
}

/** Reads a cell that can only be a number. Returns NaN if it is not one in this format. */
export function readNumber(text: string, format: NumberFormat): number {
  return readDigits(digitsOf(text, format));
}

/** Converts to the notation of programs; null if the text is not a number in this format. */
function digitsOf(text: string, format: NumberFormat): string | null {
  if (format !== ',' && PLAIN.test(text)) return text;
  if (format === 'plain' || !WRITTEN[format].test(text)) return null;
  return text.replaceAll(format === ',' ? /[^\d,+-]/g : /[^\d.+-]/g, '').replace(',', '.');
}

function readDigits(digits: string | null): number {
  return digits === null ? Number.NaN : Number(digits);
}
