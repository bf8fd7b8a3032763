import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from './csv-line.ts';

const cell = (text: string) => csvLine([text]).slice(0, -2);

test('a text that a spreadsheet would run as a formula gets an apostrophe before it', () => {
  for (const text of ['=1+1', '+cmd', '-2+3', '@SUM(A1)', '\uff1d1', '=HYPERLINK("http://x","y")', '-', '--1', '-1.5x'])
    assert.match(cell(text), /^"?'/, text);
  assert.equal(cell('=HYPERLINK("http://x","y")'), `"'=HYPERLINK(""http://x"",""y"")"`);
  assert.equal(cell('\t=1'), `'\t=1`);
  assert.equal(cell('\r=1'), `"'\r=1"`);
});

test('numbers and other texts stay what they are', () => {
  assert.equal(csvLine([-1.5, 2, true, null, 'a=b', 'a-b', '']), '-1.5,2,true,,a=b,a-b,\r\n');
  for (const text of ['-1.5', '-1.25', '+3', '-12.50e10', '+1E+5', '-2e-7', '007', "it's"])
    assert.equal(cell(text), text);
  assert.equal(cell('say "hi", all'), '"say ""hi"", all"');
  assert.equal(cell(' padded '), '" padded "');
});
