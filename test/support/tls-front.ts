// TLS for a server of the tests, which listens on a socket file only, and there PostgreSQL offers none. It refuses plain connections.
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';

const CERTIFICATES = join(import.meta.dirname, '../fixtures/tls');
/** For the name `localhost`, not for its address. It is its own authority. */
export const CERTIFICATE = join(CERTIFICATES, 'localhost.pem');
export const ANOTHER_AUTHORITY = join(CERTIFICATES, 'another-ca.pem');

/** The last bytes of the first message of a client that asks for GSSAPI or TLS. */
const GSS_REQUEST = 80877104;
const TLS_REQUEST = 80877103;

export interface TlsFront {
  port: number;
  close(): void;
}

export async function tlsFront(socketDir: string): Promise<TlsFront> {
  const [cert, key] = ['localhost.pem', 'localhost.key'].map((name) => readFileSync(join(CERTIFICATES, name)));
  const open = new Set<Socket>();
  const watch = <T extends Socket>(socket: T): T => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
    return socket;
  };
  const accept = (socket: Socket): void => {
    socket.once('data', (message) => {
      const request = message.length === 8 ? (message as Buffer).readInt32BE(4) : 0;
      if (request === GSS_REQUEST) {
        socket.write('N');
        accept(socket);
      } else if (request === TLS_REQUEST) {
        socket.write('S');
        const plain = watch(new TLSSocket(socket, { isServer: true, cert, key }));
        const server = watch(connect(join(socketDir, '.s.PGSQL.5432')));
        plain.pipe(server).pipe(plain);
        plain.on('close', () => server.destroy());
        server.on('close', () => plain.destroy());
      } else {
        socket.destroy();
      }
    });
  };
  const listener = createServer((socket) => accept(watch(socket)));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    close() {
      listener.close();
      for (const socket of open) socket.destroy();
    },
  };
}
