// All events of a project, in blocks, whose reading begins at once and not when the first block is taken: a store that reads
// ahead does so while the job loads its model. To be taken once, and stopped in the end.
import type { EventBlock } from '../../store/event-store.ts';

export class BegunScan implements AsyncIterable<EventBlock> {
  readonly #blocks: AsyncIterator<EventBlock>;
  readonly #first: Promise<IteratorResult<EventBlock>>;

  constructor(blocks: AsyncIterable<EventBlock>) {
    this.#blocks = blocks[Symbol.asyncIterator]();
    this.#first = this.#blocks.next();
    // The consumer of the blocks gets this error too, unless the job fails before.
    this.#first.catch(() => undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EventBlock> {
    for (let next = await this.#first; !next.done; next = await this.#blocks.next()) yield next.value;
  }

  async stop(): Promise<void> {
    await this.#blocks.return?.();
  }
}
