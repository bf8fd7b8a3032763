// Makes any call by its path. The methods of calls.ts are this with a name.
import { type AnswerOf, OPERATIONS, type OperationPath, type RequestOf } from './operations.ts';
import { atServingUri } from './serving-address.ts';
import { type KindredOptions, type ServingOptions, Transport } from './transport.ts';

export class OperationCaller {
  protected readonly transport: Transport;

  constructor(options: KindredOptions) {
    this.transport = new Transport(options);
  }

  get baseUrl(): string {
    return this.transport.baseUrl;
  }

  async call<Path extends OperationPath>(
    path: Path,
    request: RequestOf<Path>,
    { servingUri, ...options }: ServingOptions = {},
  ): Promise<AnswerOf<Path>> {
    const { method, repeatable, prepare } = OPERATIONS[path];
    const prepared = prepare ? prepare(request as never) : request;
    const { url, request: sent } =
      servingUri === undefined ? { request: prepared } : atServingUri(servingUri, path, prepared);
    const content = method === 'GET' ? { query: sent } : { body: sent };
    return this.transport.call({ method, operation: path, url, repeatable, ...content }, options);
  }
}
