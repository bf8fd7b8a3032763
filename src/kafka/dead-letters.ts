// Messages that could not be stored: up to 10 lines a minute in the log, each message in the dead-letter topic if there is one, all
// of them in the counts beside the stored position. They never hold up the partition, not even if that topic cannot be written.
import { MINUTE_MS } from '../base/durations.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Logger } from '../observability/logger.ts';
import type { BadMessage } from './read-messages.ts';

const LINES_A_MINUTE = 10;

export type SendMessages = (
  messages: readonly { topic: string; value: Buffer; headers: Record<string, string> }[],
) => Promise<void>;

export class DeadLetters {
  readonly #log: Logger;
  readonly #topic: string | null;
  readonly #runtime: Runtime;
  #windowMs = 0;
  #lines = 0;

  constructor(log: Logger, topic: string | null, runtime: Runtime) {
    this.#log = log;
    this.#topic = topic;
    this.#runtime = runtime;
  }

  async take(bad: readonly BadMessage[], send: SendMessages): Promise<void> {
    if (bad.length === 0) return;
    this.#tell(bad, this.#runtime.nowMs());
    if (this.#topic === null) return;
    const topic = this.#topic;
    const letters = bad.map(({ message, reason }) => ({
      topic,
      value: Buffer.from(message.value ?? []),
      headers: { reason, from: `${message.topic}:${message.partition}:${message.offset}` },
    }));
    await send(letters).catch((error) =>
      this.#log.error({ err: error, topic, messages: letters.length }, 'could not write to the dead-letter topic'),
    );
  }

  #tell(bad: readonly BadMessage[], nowMs: number): void {
    if (nowMs - this.#windowMs > MINUTE_MS) {
      this.#windowMs = nowMs;
      this.#lines = 0;
    }
    for (const { message, reason } of bad) {
      if (this.#lines >= LINES_A_MINUTE) return;
      this.#lines++;
      const { topic, partition, offset } = message;
      this.#log.warn({ topic, partition, offset, reason }, 'skipped a message that is not a record');
    }
  }
}
