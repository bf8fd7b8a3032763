// Request ids: the client's own if valid, else a process prefix and a counter, which costs almost nothing.
import { uniqueName } from '../base/system.ts';

const prefix = uniqueName(6);
let counter = 0;

export function newRequestId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && /^[\w.-]{1,64}$/.test(given)) return given;
  return `${prefix}-${(counter++).toString(36)}`;
}
