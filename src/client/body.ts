// A request's body: JSON, compressed where that pays. Loopback and tiny bodies go as they are.

export type GzipChoice = 'auto' | boolean;

const MIN_GZIP_BYTES = 4096;

export interface EncodedBody {
  bytes: Uint8Array<ArrayBuffer>;
  encoding: 'gzip' | null;
}

export function shouldGzip(choice: GzipChoice, baseUrl: string): boolean {
  if (choice !== 'auto') return choice;
  return !/^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$)/i.test(baseUrl);
}

export async function encodeBody(json: string, gzip: boolean): Promise<EncodedBody> {
  const bytes = new TextEncoder().encode(json);
  if (!gzip || bytes.byteLength < MIN_GZIP_BYTES) return { bytes, encoding: null };
  const compressed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return { bytes: new Uint8Array(await new Response(compressed).arrayBuffer()), encoding: 'gzip' };
}
