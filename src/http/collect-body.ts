// Reads a body up to a limit. A watched body is counted chunk by chunk and rejected if it stalls.
import type { IncomingMessage } from 'node:http';
import { plural } from '../base/plural.ts';
import { AppError } from '../errors.ts';
import { BodyBlocks } from './body-blocks.ts';
import type { BodyClock, BodyPace } from './body-pace.ts';

/** Bytes allocated at a time for a body of unknown length. */
const UNKNOWN_LENGTH_BYTES = 16 * 1024;

export interface BodyWatch {
  /** Called for every chunk; throws to reject. */
  count?(bytes: number): void;
  pace: BodyPace;
  eachWindow: BodyClock['eachWindow'];
}

/** Reads the whole body as received. */
export function collectBody(
  payload: IncomingMessage,
  limitBytes: number,
  watch: BodyWatch,
  done: (error: Error | null, body: BodyBlocks) => void,
): void {
  const body = new BodyBlocks();
  const declared = payload.headers['content-length'];
  let stopLooking = (): void => {};
  let isEnded = false;
  const end = (error: Error | null): void => {
    if (isEnded) return;
    isEnded = true;
    stopLooking();
    done(error, error ? new BodyBlocks() : body);
  };
  const take = (piece: Buffer): void => {
    if (isEnded) return;
    try {
      if (body.length + piece.length > limitBytes) throw tooLarge(limitBytes);
      watch.count?.(piece.length);
      body.add(piece, declared === undefined ? UNKNOWN_LENGTH_BYTES : Number(declared) - body.length);
    } catch (error) {
      end(error as Error);
    }
  };
  if (Number(declared) > limitBytes) {
    done(tooLarge(limitBytes), body);
    return;
  }
  payload
    .on('data', take)
    .on('end', () => end(null))
    .on('error', end);
  const { windowMs, leastBytes } = watch.pace;
  let lengthBefore = 0;
  stopLooking = watch.eachWindow(() => {
    if (body.length - lengthBefore < leastBytes) end(tooSlow(watch.pace));
    lengthBefore = body.length;
  }, windowMs);
}

function tooSlow({ windowMs, leastBytes }: BodyPace): AppError {
  const seconds = `${windowMs / 1000} seconds`;
  return new AppError(
    'REQUEST_TIMEOUT',
    Number.isFinite(leastBytes)
      ? `The body arrived too slowly: less than ${plural(leastBytes, 'byte')} in ${seconds}. Compress it or send smaller batches.`
      : `The body did not arrive within ${seconds}. Send it again.`,
  );
}

const tooLarge = (limitBytes: number): AppError =>
  new AppError('BODY_TOO_LARGE', `The body is larger than ${plural(limitBytes, 'byte')}, the limit of this call.`);
