// A request's body: JSON, compressed where that pays. Loopback and tiny bodies go as they are.

export type GzipChoice = 'auto' | boolean;

const MIN_GZIP_BYTES = 4096;

export interface EncodedBody {
  /** Plain text if it is not compressed: the platform encodes it when it sends it, which is cheaper than a copy of ours. */
  content: string | Uint8Array<ArrayBuffer>;
  encoding: 'gzip' | null;
}

export function shouldGzip(choice: GzipChoice, baseUrl: string): boolean {
  if (choice !== 'auto') return choice;
  return !/^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$)/i.test(baseUrl);
}

export async function encodeBody(json: string, gzip: boolean): Promise<EncodedBody> {
  if (!gzip || json.length < MIN_GZIP_BYTES) return { content: json, encoding: null };
  const compressed = new Blob([json]).stream().pipeThrough(new CompressionStream('gzip'));
  return { content: new Uint8Array(await new Response(compressed).arrayBuffer()), encoding: 'gzip' };
}
