// Makes any call by its path. The methods of calls.ts are this with a name.
import { type AnswerOf, OPERATIONS, type OperationPath, type RequestOf } from './operations.ts';
import { type CallOptions, type KindredOptions, Transport } from './transport.ts';

export class OperationCaller {
  protected readonly transport: Transport;

  constructor(options: KindredOptions) {
    this.transport = new Transport(options);
  }

  get baseUrl(): string {
    return this.transport.baseUrl;
  }

  call<Path extends OperationPath>(
    path: Path,
    request: RequestOf<Path>,
    options?: CallOptions,
  ): Promise<AnswerOf<Path>> {
    const { method, repeatable, prepare } = OPERATIONS[path];
    const sent = prepare ? prepare(request as never) : request;
    const content = method === 'GET' ? { query: sent } : { body: sent };
    return this.transport.call({ method, operation: path, repeatable, ...content }, options);
  }
}
