// The origin of a web page, as browsers send it: scheme, host and port, nothing else.

export const MAX_ORIGIN_LENGTH = 256;

/** Says why the text is not an exact origin, in words that follow its name; null if it is one. */
export function originProblem(text: string): string | null {
  const example = 'must be an exact origin such as https://shop.example or http://localhost:3000';
  if (text.length > MAX_ORIGIN_LENGTH || text.includes('*') || !URL.canParse(text)) return example;
  const { origin, protocol } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return example;
  return origin === text ? null : `${example}; the origin of this address is ${origin}`;
}
