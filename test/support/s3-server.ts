// A small server for the part of the S3 protocol that Kindred uses: path style, uploads in one piece or in parts, objects in
// memory.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Server {
  url(prefix?: string): string;
  objects: Map<string, Buffer>;
  /** Downloads of these objects have this time instead of an ETag, as with some compatible stores. */
  lastModified: Map<string, Date>;
  /** Sizes of the parts of the last upload in parts. */
  lastParts(): number[];
  /** Uploads in parts that were neither completed nor aborted. */
  openUploads(): number;
  /** An upload in parts that began then, as if its process had been killed. */
  leaveUpload(key: string, begun: Date): void;
  /** Listing uploads gets this status from now on; null: none. */
  failListingUploads(status: number | null): void;
  /** The next `count` requests get this status. */
  fail(count: number, status: number): void;
  /** Uploads wait from now on until they are released. */
  holdUploads(): { waiting(): number; release(): void };
  /** Parts of uploads get this status from now on; null: none. */
  failParts(status: number | null): void;
  /** The next `count` downloads stop in the middle: they stall, or the connection is cut. */
  interrupt(count: number, how: 'stall' | 'cut'): void;
  close(): Promise<void>;
}

const PAGE = 2;

export async function startS3Server(bucket = 'models'): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const lastModified = new Map<string, Date>();
  const uploads = new Map<string, { key: string; begun: Date; parts: Map<number, Buffer> }>();
  let begunUploads = 0;
  let lastParts: number[] = [];
  let partFailure: number | null = null;
  let listingFailure: number | null = null;
  const failing = { count: 0, status: 500 };
  const interrupted = { count: 0, how: 'stall' };
  let held: Promise<void> | null = null;
  let waiting = 0;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    if (failing.count > 0) {
      failing.count--;
      return send(response, failing.status, xml('Error', '<Code>InternalError</Code>'));
    }
    if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256')) return send(response, 403, '');
    const url = new URL(request.url!, 'http://s3');
    const [, askedBucket, ...rest] = decodeURIComponent(url.pathname).split('/');
    if (askedBucket !== bucket) return send(response, 404, xml('Error', '<Code>NoSuchBucket</Code>'));
    const key = rest.join('/');
    if (request.method === 'GET' && url.searchParams.get('list-type') === '2') return list(url, response);
    if (request.method === 'GET' && url.searchParams.has('uploads')) {
      if (listingFailure === null) return listUploads(url, response);
      return send(response, listingFailure, xml('Error', '<Code>Refused</Code>'));
    }
    if (request.method === 'PUT' && held !== null) {
      waiting++;
      await held;
    }
    const handled = multipart({ method: request.method!, url, key, body }, response);
    if (handled) return;
    const copied = request.headers['x-amz-copy-source'];
    if (request.method === 'PUT' && copied !== undefined) {
      const source = objects.get(decodeURIComponent(String(copied)).slice(`${bucket}/`.length));
      if (!source) return send(response, 404, xml('Error', '<Code>NoSuchKey</Code>'));
      objects.set(key, source);
      return send(response, 200, xml('CopyObjectResult', `<ETag>${etagOf(source)}</ETag>`));
    }
    if (request.method === 'PUT') {
      objects.set(key, body);
      return send(response, 200, '', { etag: etagOf(body) });
    }
    if (request.method === 'DELETE') {
      // Some compatible stores report a missing key; AWS does not.
      if (!objects.delete(key)) return send(response, 404, xml('Error', '<Code>NoSuchKey</Code>'));
      return send(response, 204, '');
    }
    const object = objects.get(key);
    if (!object) return send(response, 404, xml('Error', `<Code>NoSuchKey</Code><Key>${key}</Key>`));
    const modified = lastModified.get(key)?.toUTCString();
    const version: Record<string, string> = modified ? { 'last-modified': modified } : { etag: etagOf(object) };
    if (interrupted.count === 0) return send(response, 200, object, version);
    interrupted.count--;
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': object.length });
    response.write(object.subarray(0, object.length / 2), () => {
      if (interrupted.how === 'cut') response.destroy();
    });
  }

  function multipart(call: { method: string; url: URL; key: string; body: Buffer }, response: ServerResponse): boolean {
    const { method, url, key, body } = call;
    if (method === 'POST' && url.searchParams.has('uploads')) {
      const id = beginUpload(key, new Date());
      send(response, 200, xml('InitiateMultipartUploadResult', `<UploadId>${id}</UploadId>`));
      return true;
    }
    const id = url.searchParams.get('uploadId');
    if (id === null) return false;
    const parts = uploads.get(id)?.parts;
    if (!parts) send(response, 404, xml('Error', '<Code>NoSuchUpload</Code>'));
    else if (method === 'PUT' && partFailure !== null)
      send(response, partFailure, xml('Error', '<Code>BadPart</Code>'));
    else if (method === 'PUT') {
      parts.set(Number(url.searchParams.get('partNumber')), body);
      send(response, 200, '', { etag: etagOf(body) });
    } else {
      uploads.delete(id);
      if (method === 'DELETE') send(response, 204, '');
      else {
        const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) =>
          Number(number),
        );
        const pieces = named.map((number) => parts.get(number)!);
        lastParts = pieces.map((piece) => piece.length);
        objects.set(key, Buffer.concat(pieces));
        send(response, 200, xml('CompleteMultipartUploadResult', `<Key>${key}</Key><ETag>"parts"</ETag>`));
      }
    }
    return true;
  }

  function beginUpload(key: string, begun: Date): string {
    const id = `upload-${++begunUploads}`;
    uploads.set(id, { key, begun, parts: new Map() });
    return id;
  }

  function listUploads(url: URL, response: ServerResponse): void {
    const marker = (name: string) => url.searchParams.get(name) ?? '';
    // Key and id, in their order.
    const after = `${marker('key-marker')} ${marker('upload-id-marker')}`;
    const found = [...uploads]
      .filter(([id, { key }]) => key.startsWith(marker('prefix')) && `${key} ${id}` > after)
      .sort(([a, { key }], [b, { key: other }]) => (`${key} ${a}` < `${other} ${b}` ? -1 : 1));
    const page = found.slice(0, PAGE).map(([id, { key, begun }]) => {
      const upload = `<Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begun.toISOString()}</Initiated>`;
      return { upload: `<Upload>${upload}</Upload>`, key, id };
    });
    const last = page.at(-1);
    const next =
      last && found.length > PAGE
        ? `<IsTruncated>true</IsTruncated><NextKeyMarker>${last.key}</NextKeyMarker><NextUploadIdMarker>${last.id}</NextUploadIdMarker>`
        : '<IsTruncated>false</IsTruncated>';
    send(response, 200, xml('ListMultipartUploadsResult', next + page.map(({ upload }) => upload).join('')));
  }

  function list(url: URL, response: ServerResponse): void {
    const prefix = url.searchParams.get('prefix') ?? '';
    const after = url.searchParams.get('continuation-token') ?? '';
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, PAGE);
    const contents = page.map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>${objects.get(key)!.length}</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
    );
    const next = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    send(
      response,
      200,
      xml('ListBucketResult', `<IsTruncated>${next !== ''}</IsTruncated>${next}${contents.join('')}`),
    );
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error) => send(response, 500, String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = encodeURIComponent(`http://127.0.0.1:${port}`);
  return {
    url: (prefix = '') => `s3://${bucket}/${prefix}?endpoint=${endpoint}&path_style=true&region=eu-central-1`,
    objects,
    lastModified,
    lastParts: () => lastParts,
    failParts: (status) => {
      partFailure = status;
    },
    openUploads: () => uploads.size,
    leaveUpload: (key, begun) => void beginUpload(key, begun),
    failListingUploads: (status) => {
      listingFailure = status;
    },
    holdUploads: () => {
      const gate = Promise.withResolvers<void>();
      held = gate.promise;
      waiting = 0;
      return {
        waiting: () => waiting,
        release: () => {
          held = null;
          gate.resolve();
        },
      };
    },
    fail: (count, status) => Object.assign(failing, { count, status }),
    interrupt: (count, how) => Object.assign(interrupted, { count, how }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function xml(root: string, inner: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><${root}>${inner}</${root}>`;
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'content-type': typeof body === 'string' ? 'application/xml' : 'application/octet-stream',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}
