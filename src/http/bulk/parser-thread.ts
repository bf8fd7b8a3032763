// Inflates, parses and checks bulk bodies on its own thread, one at a time. So the number of threads bounds their memory, and
// the API thread only sees columns.
import { parentPort } from 'node:worker_threads';
import { StepLog, setTracing, traced } from '../../base/trace.ts';
import { buffersOf } from '../../domain/record-columns.ts';
import { BODY_CLASSES } from '../body-class.ts';
import { inflate } from '../inflater.ts';
import { parseJson } from '../json-body.ts';
import { BULK_BODIES, type BulkBody } from './bulk-bodies.ts';
import { type ParserReply, type ParserRequest, toPlainError } from './parser-protocol.ts';

const port = parentPort!;
/** Set between 'open' and the message that follows. */
let opened: { body: BulkBody; records: unknown[] } | null = null;

async function respond(request: ParserRequest): Promise<ParserReply | null> {
  switch (request.step) {
    case 'open': {
      const body = BULK_BODIES[request.name];
      const raw = Buffer.concat(request.blocks);
      const { frame, records } = await traced('parse', async () => {
        const bytes = await inflate(raw, request.contentEncoding, BODY_CLASSES.bulk.maxBytes);
        return body.open(parseJson(bytes, BODY_CLASSES.bulk));
      });
      opened = { body, records };
      return { step: 'open', frame };
    }
    case 'check': {
      const { body, records } = opened!;
      opened = null;
      return { step: 'check', checked: body.checkRecords(records, request.schema, request.given) };
    }
    case 'drop':
      opened = null;
      return null;
  }
}

async function respondTraced(request: ParserRequest): Promise<ParserReply | null> {
  const log = new StepLog();
  setTracing(log);
  try {
    const reply = await respond(request);
    return reply === null || reply.step === 'refused' ? reply : { ...reply, steps: log.steps };
  } finally {
    setTracing(null);
  }
}

port.on('message', async (request: ParserRequest) => {
  let reply: ParserReply | null;
  try {
    reply = 'traced' in request && request.traced ? await respondTraced(request) : await respond(request);
  } catch (error) {
    // Any other error ends the thread, and the client gets 500.
    reply = { step: 'refused', error: toPlainError(error) };
  }
  if (reply !== null) port.postMessage(reply, reply.step === 'check' ? buffersOf(reply.checked.columns) : []);
});
