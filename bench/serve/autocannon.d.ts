// What the benchmark uses of autocannon, which comes without types.
declare module 'autocannon' {
  interface Request {
    body?: string;
  }
  interface Options {
    url: string;
    connections: number;
    duration?: number;
    amount?: number;
    method: string;
    headers: Record<string, string>;
    requests: { setupRequest(request: Request): Request }[];
  }
  export interface Result {
    requests: { average: number };
    non2xx: number;
    errors: number;
    timeouts: number;
  }
  interface Running {
    on(event: 'response', listen: (client: unknown, status: number, bytes: number, responseMs: number) => void): void;
  }
  export default function autocannon(options: Options, done: (error: Error | null, result: Result) => void): Running;
}
