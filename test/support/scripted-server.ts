// A plain HTTP server that sends the responses a test gives it and remembers the requests: for the client's behavior
// towards responses a healthy service does not give (429, 503, broken connections, ended tokens).
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Scripted {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Cut the connection instead of responding, or in the middle of the body. */
  cut?: boolean | 'midway';
  /** Send half of the body and then nothing. */
  stall?: boolean;
}

export async function startScriptedServer(respond: (asked: Asked, nth: number) => Scripted | Promise<Scripted>) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    const url = new URL(request.url ?? '/', 'http://scripted');
    const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString('utf8');
    const one = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body,
    };
    asked.push(one);
    const scripted = await respond(one, asked.filter(({ path }) => path === one.path).length);
    if (scripted.cut === true) {
      request.socket.destroy();
      return;
    }
    const text = typeof scripted.body === 'string' ? scripted.body : JSON.stringify(scripted.body ?? {});
    response.writeHead(scripted.status ?? 200, { 'content-type': 'application/json', ...scripted.headers });
    const half = text.slice(0, text.length / 2);
    if (scripted.cut === 'midway') response.write(half, () => request.socket.destroy());
    else if (scripted.stall) response.write(half);
    else response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { baseUrl, asked, close };
}
