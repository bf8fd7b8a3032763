import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, read, readCsv } from '../../test/support/read-table.ts';
import { ImportPlanError } from './import-plan.ts';
import { movieLensFile, refineMovieLensItem } from './movielens.ts';
import { csvTable, jsonLinesTable } from './table.ts';

test('events are known by their columns, whatever the columns are called', async () => {
  const { plan, records } = await readCsv(
    'USER_ID,ITEM_ID,TIMESTAMP,EVENT_TYPE,EVENT_VALUE,recommendation_id,device\nu1,i1,1700000000,buy,2.5,r1,phone\nu2,i2,1700000001,,,,\n',
  );
  assert.equal(plan.kind, 'events');
  assert.equal(plan.tsUnit, 's');
  assert.deepEqual(records, [
    {
      event_id: 'u1:i1:1700000000000:buy',
      user_id: 'u1',
      item_id: 'i1',
      ts: 1700000000000,
      event_type: 'buy',
      event_value: 2.5,
      recommendation_id: 'r1',
      attributes: { device: 'phone' },
    },
    {
      event_id: 'u2:i2:1700000001000:view',
      user_id: 'u2',
      item_id: 'i2',
      ts: 1700000001000,
      event_type: 'view',
      attributes: {},
    },
  ]);
});

test('attribute cells become numbers, booleans and lists where a whole column is so, codes stay text', async () => {
  const { plan, records } = await readCsv(
    'item_id,price,new,genres,code,tags,title\n1,9.5,true,Drama|War,007,"[""a"",""b""]","A, B"\n2,,false,Comedy,12,[],C\n',
  );
  assert.equal(plan.kind, 'items');
  assert.deepEqual(records, [
    {
      item_id: '1',
      attributes: { price: 9.5, new: true, genres: ['Drama', 'War'], code: '007', tags: ['a', 'b'], title: 'A, B' },
    },
    { item_id: '2', attributes: { new: false, genres: ['Comedy'], code: '12', tags: [], title: 'C' } },
  ]);
});

test('numbers with a decimal comma are numbers, but not where commas separate cells', async () => {
  const { plan, records, errors } = await readCsv(
    'Kunde;sku;Datum;value;Preis;Code\nu1;i1;14.11.2026;2;1.299,00;1,234\nu2;i2;15.11.2026;0,5;9,99;2,345\nu3;i3;16.11.2026;much;7;\n',
    { kind: 'events', map: { user_id: 'Kunde', ts: 'Datum' } },
  );
  const stored = (records as { event_value: number; attributes: object }[]).map(({ event_value, attributes }) => [
    event_value,
    attributes,
  ]);
  assert.deepEqual(stored, [
    [2, { Preis: 1299, Code: '1,234' }],
    [0.5, { Preis: 9.99, Code: '2,345' }],
  ]);
  assert.deepEqual(errors, ['event_value is not a number: much']);
  assert.ok(plan.notes.includes('numbers of value, Preis have a decimal comma'));

  const commas = await readCsv('item_id,genres,price\ni1,"3,7","1,234.50"\ni2,"12,5","9"\n');
  assert.deepEqual(commas.records, [
    { item_id: 'i1', attributes: { genres: '3,7', price: 1234.5 } },
    { item_id: 'i2', attributes: { genres: '12,5', price: 9 } },
  ]);
});

test('columns can be named, skipped, kept as text and cut into lists', async () => {
  const { records } = await readCsv('who;zip;hobbies;secret\nana;12345;a+b;x\n', {
    kind: 'users',
    map: { user_id: 'who' },
    text: ['zip'],
    lists: { hobbies: '+' },
    skip: ['secret'],
  });
  assert.deepEqual(records, [{ user_id: 'ana', attributes: { zip: '12345', hobbies: ['a', 'b'] } }]);
});

test('a table that does not tell what it is is refused with its columns', async () => {
  await assert.rejects(
    readCsv('a,b\n1,2\n'),
    (error) => error instanceof ImportPlanError && /a, b/.test(error.message),
  );
  await assert.rejects(readCsv('user_id,item_id\n1,2\n'), /no column for ts/);
  const { plan } = await readCsv('id,name\n1,x\n', { fileName: 'products.csv' });
  assert.equal(plan.kind, 'items');
});

test('a table with two columns of one name is refused, as one would be lost', async () => {
  const text = 'item_id,price,color,price\ni1,5,red,6\n';
  await assert.rejects(
    readCsv(text),
    (error) =>
      error instanceof ImportPlanError && /several columns are named price: .*--skip price/.test(error.message),
  );
  const { records } = await readCsv(text, { skip: ['price'] });
  assert.deepEqual(records, [{ item_id: 'i1', attributes: { color: 'red' } }]);
  assert.equal((await readCsv('item_id,,\ni1,5,red\n')).records.length, 1);
});

test('rows that cannot become a record are errors of their own', async () => {
  const { records, errors } = await readCsv('user_id,item_id,ts\n,i,1700000000000\nu,i,soon\nu,i,1700000000000\n', {
    ts_unit: 'ms',
  });
  assert.deepEqual(errors, ['user_id is empty', 'ts is not a number: soon']);
  assert.equal(records.length, 1);
});

test('dates are read as such', async () => {
  const { plan, records } = await readCsv('user,item,date\nu,i,2024-01-02T03:04:05Z\n');
  assert.equal(plan.tsUnit, 'date');
  assert.equal((records[0] as { ts: number }).ts, Date.UTC(2024, 0, 2, 3, 4, 5));
});

test('JSON Lines are taken in the shape of the API or flat, with keys that come late and lines that are broken', async () => {
  const lines = [
    '{"item_id":"1","attributes":{"name":"Ä"}}',
    '{"item_id":"2","color":"red","sizes":[1,2]}',
    'nonsense',
    '{"item_id":3,"late":true}',
  ];
  const { records, errors } = await read(await jsonLinesTable(bytes(lines.join('\n'))));
  assert.deepEqual(records, [
    { item_id: '1', attributes: { name: 'Ä' } },
    { item_id: '2', attributes: { color: 'red', sizes: [1, 2] } },
    { item_id: '3', attributes: { late: true } },
  ]);
  assert.equal(errors.length, 1);
});

test("MovieLens' files are known by name", async () => {
  const ratings = movieLensFile('/data/ml-1m/ratings.dat');
  const { records } = await readCsv('1::1193::5::978300760\n', { event_type: 'rating' }, ratings!.csv);
  assert.deepEqual(records, [
    {
      event_id: '1:1193:978300760000:rating',
      user_id: '1',
      item_id: '1193',
      ts: 978300760000,
      event_type: 'rating',
      event_value: 5,
    },
  ]);
  const movies = movieLensFile('movies.dat');
  const table = await csvTable(bytes('73::Misérables, Les (1995)::Drama|Musical\n', 'latin1'), movies!.csv);
  const [film] = (await read(table)).records as { attributes: Record<string, unknown> }[];
  assert.deepEqual(refineMovieLensItem(film.attributes), {
    name: 'Misérables, Les',
    year: 1995,
    genres: ['Drama', 'Musical'],
  });
  assert.deepEqual(refineMovieLensItem({ title: 'Heat (1995)', 'genre:Action': 1, 'genre:War': 0 }), {
    name: 'Heat',
    year: 1995,
    genres: ['Action'],
  });
  assert.equal(movieLensFile('tags.csv'), null);
  assert.equal(movieLensFile('constructor'), null);
});

test('what Personalize exports is read: its list ids are left out, interactions and lists of categories stay', async () => {
  const { plan, records, errors } = await readCsv(
    'USER_ID,ITEM_ID,TIMESTAMP,EVENT_TYPE,EVENT_VALUE,RECOMMENDATION_ID,DEVICE\nu1,i1,1700000000,Purchase,,RID-9,ios\n',
  );
  assert.deepEqual(errors, []);
  assert.ok(plan.notes.some((note) => note.startsWith('RECOMMENDATION_ID is left out')));
  assert.deepEqual(records, [
    {
      event_id: 'u1:i1:1700000000000:Purchase',
      user_id: 'u1',
      item_id: 'i1',
      ts: 1_700_000_000_000,
      event_type: 'Purchase',
      attributes: { DEVICE: 'ios' },
    },
  ]);
  const items = await readCsv('ITEM_ID,GENRES,CREATION_TIMESTAMP,PRICE\ni1,Drama|Crime,1700000000,9.5\n');
  assert.deepEqual(items.records, [
    { item_id: 'i1', attributes: { GENRES: ['Drama', 'Crime'], CREATION_TIMESTAMP: 1_700_000_000, PRICE: 9.5 } },
  ]);
});

test('what Gorse exports is read: labels become attributes, values of 0 count as none', async () => {
  const lines = async (...objects: object[]) =>
    read(await jsonLinesTable(bytes(objects.map((object) => `${JSON.stringify(object)}\n`).join(''))));
  const users = await lines({ UserId: 'u1', Labels: { country: 'BE' }, Comment: '' }, { UserId: 'u2', Labels: null });
  assert.deepEqual(users.records, [
    { user_id: 'u1', attributes: { country: 'BE' } },
    { user_id: 'u2', attributes: {} },
  ]);
  const item = { ItemId: 'i1', IsHidden: false, Categories: ['shoes'], Timestamp: '2026-11-01T00:00:00Z' };
  const items = await lines({ ...item, Labels: { color: 'red', price: 9.5 }, Comment: 'Red shoe' });
  assert.deepEqual(items.records, [
    {
      item_id: 'i1',
      attributes: {
        IsHidden: false,
        Categories: ['shoes'],
        Timestamp: '2026-11-01T00:00:00Z',
        color: 'red',
        price: 9.5,
        Comment: 'Red shoe',
      },
    },
  ]);
  const feedback = { FeedbackType: 'like', UserId: 'u1', ItemId: 'i1', Value: 0, Timestamp: '2026-11-01T00:00:00Z' };
  const events = await lines({ ...feedback, Comment: '' });
  assert.deepEqual(events.records, [
    {
      event_id: 'u1:i1:1793491200000:like',
      user_id: 'u1',
      item_id: 'i1',
      ts: 1_793_491_200_000,
      event_type: 'like',
      attributes: {},
    },
  ]);
  assert.ok(events.plan.notes.some((note) => note.startsWith('Value is left out where it is 0')));
  const csv = await readCsv(
    'item_id,is_hidden,categories,time_stamp,labels,description\ni1,false,shoes,2026-11-01,"{""color"":""red""}",x\n',
  );
  assert.equal((csv.records[0] as { attributes: { color: string } }).attributes.color, 'red');
});

test('a page of an API whose records are below a key names that key', async () => {
  const page = (...pages: object[]) => jsonLinesTable(bytes(pages.map((one) => JSON.stringify(one)).join('\n')));
  const Items = [{ ItemId: 'i1' }, { ItemId: 'i2' }];
  await assert.rejects(page({ Cursor: '', Items }, { Cursor: 'x', Items }).then(read), {
    name: 'ImportPlanError',
    message: /the records are in Items\. .*: convert it with jq -c '\.Items\[\]'/,
  });
  await assert.rejects(page({ 'top items': Items }).then(read), { message: /jq -c '\.\["top items"\]\[\]'/ });
  await assert.rejects(jsonLinesTable(bytes(JSON.stringify({ Items }, null, 2))), {
    message: /on several lines.*jq -c \.$/,
  });
  assert.equal((await read(await page({ item_id: 'i', variants: [{ size: 'S' }] }))).records.length, 1);
});

test('values after first rows that are all 0 are kept', async () => {
  const rows = ['event_id,user_id,item_id,ts,event_type,event_value'];
  for (let row = 0; row < 100; row++) rows.push(`v${row},u,i,1762000000000,view,0`);
  rows.push('late,u,i,1762000000000,purchase,29.90', 'free,u,i,1762000000000,purchase,0');
  const { records } = await readCsv(rows.join('\n'));
  const event = { user_id: 'u', item_id: 'i', ts: 1_762_000_000_000 };
  assert.deepEqual(records[0], { event_id: 'v0', ...event, event_type: 'view' });
  assert.deepEqual(records.slice(-2), [
    { event_id: 'late', ...event, event_type: 'purchase', event_value: 29.9 },
    { event_id: 'free', ...event, event_type: 'purchase' },
  ]);
});

test('values that are 0 in some of the first rows stay as they are', async () => {
  const { records } = await readCsv('user_id,item_id,ts,value\nu,i,1762000000000,0\nu,j,1762000000000,2\n');
  assert.deepEqual(
    (records as { event_value?: number }[]).map(({ event_value }) => event_value),
    [0, 2],
  );
});

test('times are read by what most of the first cells are', async () => {
  const { plan, records, errors } = await readCsv(
    'user_id,item_id,ts\nu1,i1,1700000000\nu2,i2,soon\nu3,i3,1700000001\n',
  );
  assert.equal(plan.tsUnit, 's');
  assert.equal(records.length, 2);
  assert.deepEqual(errors, ['ts is not a number: soon']);
});

test('dates mean the same on every machine: UTC without a zone, the day first where the file shows it', async () => {
  const zone = process.env.TZ;
  process.env.TZ = 'America/New_York';
  try {
    const timesOf = async (...cells: string[]) => {
      const rows = cells.map((cell, index) => `u${index},i${index},"${cell}"\n`);
      const { records } = await readCsv(`user_id,item_id,ts\n${rows.join('')}`);
      return records.map((record) => new Date((record as { ts: number }).ts).toISOString().slice(0, 16));
    };
    assert.deepEqual(
      await timesOf(
        '2026-04-03 22:13:20',
        '2026-04-03T22:13',
        '2026-04-03 22:13:20.123456',
        '2026-04-04T00:13:20+02:00',
        '2026-04-03 22:13:20+00',
        '4/3/2026 10:13 PM',
        'April 3, 2026 22:13',
        '3.4.2026 22:13',
      ),
      Array(8).fill('2026-04-03T22:13'),
    );
    assert.deepEqual(await timesOf('2026-04-03', '4/3/2026', '03.04.2026'), Array(3).fill('2026-04-03T00:00'));
    assert.deepEqual(await timesOf('3/4/2026', '13/4/2026'), ['2026-04-03T00:00', '2026-04-13T00:00']);
    assert.deepEqual(await timesOf('20260403', '20260413'), ['2026-04-03T00:00', '2026-04-13T00:00']);
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test('a file of many or no columns is told in a short sentence', async () => {
  const wide = Array.from({ length: 500 }, (_, index) => `x${'y'.repeat(100)}${index}`);
  const message = await readCsv(`${wide.join(',')}\n`).then(String, (error: Error) => error.message);
  assert.match(message, /and 454 more; .*--kind events/);
  assert.ok(message.length < 2500, `${message.length}`);
  await assert.rejects(readCsv(''), /the file is empty/);
  await assert.rejects(readCsv('user_id,item_id\nu,i\n'), /no column for ts: .* --map ts=COLUMN/);
});

test('one column that is named like a time is the time', async () => {
  for (const name of ['watched_at', 'watchedAt', 'InvoiceDate', 'Purchase date', 'review_time']) {
    const { records } = await readCsv(`user_id,item_id,${name}\nu1,i1,1700000000\n`);
    assert.equal((records[0] as { ts: number }).ts, 1_700_000_000_000, name);
  }
  await assert.rejects(readCsv('user_id,item_id,ordered_at,shipped_at\nu1,i1,1,2\n'), /no column for ts/);
});

test('a table of orders without a known name for the item is not taken for a list of users', async () => {
  const orders = (count: number) => `Customer,Lineitem,Order Date\n${'ann,tea,2026-01-02\n'.repeat(count)}`;
  await assert.rejects(readCsv(orders(3)), {
    name: 'ImportPlanError',
    message: /most values of Customer repeat. For events name the other id, e.g. --map item_id=COLUMN; for users add/,
  });
  await assert.rejects(readCsv('sku,day\na,1\na,2\na,3\n'), { message: /items or events.*--map user_id=COLUMN/ });
  assert.equal((await readCsv(orders(3), { kind: 'users' })).plan.kind, 'users');
  assert.equal((await readCsv(orders(3), { map: { item_id: 'Lineitem' } })).plan.kind, 'events');
  assert.equal((await readCsv(`${orders(2)}bob,tea,2026-01-02\n`)).plan.kind, 'users');
});
