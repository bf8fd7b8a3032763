import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type EventFileOptions, openEventFile } from './event-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-event-file-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function eventsOf(name: string, content: string | Uint8Array, options: EventFileOptions = {}) {
  const path = join(folder, name);
  writeFileSync(path, content);
  const { format, events } = await openEventFile(path, options);
  return { format, events: await Array.fromAsync(events) };
}

test('files of papers, which have no columns, are told by their lines', async () => {
  const lines = await eventsOf('a.txt', '0 5 6\n1 5\n2\n');
  assert.equal(lines.format, 'lines');
  assert.deepEqual(
    lines.events.map(({ user, item, ts }) => [user, item, ts]),
    [
      ['0', '5', 0],
      ['0', '6', 1],
      ['1', '5', 0],
    ],
  );
  assert.deepEqual(await eventsOf('a.txt.gz', gzipSync('0 5 6\n1 5\n2\n')), lines);
  const sequences = await eventsOf('b.txt', '5 6 7\n5 6\n');
  assert.equal(sequences.format, 'sequences');
  assert.equal(sequences.events[3].user, '1');
});

test('a table is read with every header that import understands, whatever its name and separator', async () => {
  const event = { user: 'u', item: 'a, b', ts: Date.UTC(2026, 0, 2), type: 'buy', value: 2.5 };
  const headers = [
    'user_id,item_id,ts,event_type,event_value',
    'customer_id,sku,created_at,event,rating',
    'Visitor ID,Product,Timestamp,Action,Weight',
  ];
  for (const [n, header] of headers.entries()) {
    const csv = `${header}\nu,"a, b",2026-01-02,buy,2.5\n`;
    assert.deepEqual(await eventsOf(`${n}.csv`, csv), { format: 'csv', events: [event] }, header);
    assert.deepEqual(await eventsOf(`${n}.txt`, csv), { format: 'csv', events: [event] }, `${header} in a .txt`);
    assert.deepEqual((await eventsOf(`${n}.csv.gz`, gzipSync(csv))).events, [event]);
    assert.deepEqual((await eventsOf(`${n}`, csv.replace('"a, b"', 'X').replaceAll(',', '\t'))).events, [
      { ...event, item: 'X' },
    ]);
  }
  const json = await eventsOf('d.jsonl', '{"user":"u","item":"i"}\n');
  assert.deepEqual(json.events, [{ user: 'u', item: 'i', ts: null, type: null, value: 1 }]);
});

test('a column whose name does not tell can be named', async () => {
  const map = { user_id: 'who', item_id: 'what' };
  const { events } = await eventsOf('map.csv', 'who,what\nu,i\n', { map });
  assert.deepEqual(events, [{ user: 'u', item: 'i', ts: null, type: null, value: 1 }]);
});

test('a file that cannot be read is refused with what was found and where', async () => {
  await assert.rejects(eventsOf('e.txt', ''), /is empty/);
  await assert.rejects(
    eventsOf('f.csv', 'who,what\nu,i\n'),
    /no column for user_id, item_id: the columns are who, what/,
  );
  await assert.rejects(eventsOf('g.jsonl', '{"user_id":"u"}\n'), /no column for item_id/);
  await assert.rejects(eventsOf('h.jsonl', '{"user_id":"u","item_id":"i"}\n{oops\n'), /row 2: not JSON/);
  await assert.rejects(eventsOf('i.csv', 'user,item,time\nu,i,2026-01-01\nu,,2026-01-01\n'), /row 2: item_id is empty/);
});
