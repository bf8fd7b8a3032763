// Small changes of a statement: a condition that always holds, another comparison, another order, one row more.

export type SqlChange = 'account condition' | 'condition' | 'comparison' | 'order' | 'limit';

export interface SqlMutant {
  change: SqlChange;
  sql: string;
}

const CONDITION_STARTS = /\b(WHERE|AND|OR|WHEN|ON(?! CONFLICT))\s+/g;
const CONDITION_ENDS =
  /^(?:AND|OR|ORDER BY|GROUP BY|HAVING|LIMIT|RETURNING|WHERE|JOIN|LEFT|ON|UNION|THEN|SET|ELSE|END|WINDOW|DO|AS)\b/;
const COMPARISONS: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '<>': '=' };
const ORDER = /ORDER BY (?:[^()]|\([^()]*\))*?(?=\s+LIMIT\b|\s*\)|\s+ROWS\b|\s*$)/g;

/** The same for statements that differ only in how many values a list has. */
export function templateOf(sql: string): string {
  const text = sql.replace(/\s+/g, ' ').replace(/\?(?:, \?)+/g, '?…');
  return text.replace(/(\([^()]*\?[^()]*\))(?:, \1)+/g, '$1…');
}

export function sqlMutants(sql: string): SqlMutant[] {
  const changed = (change: SqlChange, from: number, to: number, text: string): SqlMutant => ({
    change,
    sql: sql.slice(0, from) + text + sql.slice(to),
  });
  const conditions = [...sql.matchAll(CONDITION_STARTS)].map(({ 0: start, 1: word, index }) => {
    const from = index + start.length;
    const to = endOfCondition(sql, from);
    const text = sql.slice(from, to);
    // The parameters stay, so that the statement fits what is bound to it.
    const without = word === 'OR' ? `(${text} AND FALSE)` : `(${text} OR TRUE)`;
    return changed(
      /^(\w+\.)?account_id = \?$/.test(text.trim()) ? 'account condition' : 'condition',
      from,
      to,
      without,
    );
  });
  const comparisons = [...sql.matchAll(/ (<=|>=|<>|<|>) /g)].map(({ 1: is, index }) =>
    changed('comparison', index + 1, index + 1 + is.length, COMPARISONS[is]),
  );
  const orders = [...sql.matchAll(ORDER)].flatMap(({ 0: text, index }) => {
    const end = index + text.length;
    const [, first, rest] = /^((?:[^,()]|\([^()]*\))*)(.*)$/s.exec(text)!;
    const turned = first.endsWith(' DESC') ? first.slice(0, -' DESC'.length) : `${first} DESC`;
    return [changed('order', index, end, ''), changed('order', index, end, turned + rest)];
  });
  const limits = [...sql.matchAll(/\bLIMIT (\d+)( \+ \?)?/g)].map(({ 0: text, 1: count, 2: more = '', index }) =>
    changed('limit', index, index + text.length, `LIMIT ${Number(count) + 1}${more}`),
  );
  return [...conditions, ...comparisons, ...orders, ...limits];
}

function endOfCondition(sql: string, from: number): number {
  let depth = 0;
  for (let at = from; at < sql.length; at++) {
    const word = /^\b(?:CASE|END)\b/.exec(sql.slice(at, at + 5))?.[0];
    if (sql[at] === '(' || (word === 'CASE' && !/\w/.test(sql[at - 1]))) depth++;
    else if (sql[at] === ')' || (word === 'END' && depth > 0 && !/\w/.test(sql[at - 1]))) depth--;
    if (
      depth < 0 ||
      (depth === 0 && (sql[at] === ',' || (/\s/.test(sql[at]) && CONDITION_ENDS.test(sql.slice(at).trim()))))
    ) {
      return at;
    }
  }
  return sql.length;
}
