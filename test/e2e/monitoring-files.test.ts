// The Grafana board and the alert rules name metrics and labels that a running service has.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Command } from 'commander';
import { parse } from 'yaml';
import { COMMANDS } from '../../src/cli/commands.ts';
import { startTestService, type TestService } from '../support/service.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

let service: TestService;
let metrics: Map<string, Set<string>>;
before(async () => {
  service = await startTestService();
  await service.ok('GET', '/list-projects');
  metrics = metricsIn((await service.call('GET', '/metrics')).body);
});
after(() => service?.stop());

/** Every metric with the labels of its lines. */
function metricsIn(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
      found.set(name + suffix, new Set());
  }
  for (const [, name, labels] of text.matchAll(/^([a-z_]+)\{(.*?)\} /gm)) {
    for (const [, label] of labels.matchAll(/(\w+)="/g)) found.get(name)?.add(label);
  }
  return found;
}

/** Labels that Prometheus adds, and those of metrics without a line in a service that has just started. */
const OTHER_LABELS = ['job', 'instance', 'le', 'stream', 'project_id', 'kind', 'code'];

function checkExpression(expression: string, where: string): void {
  const named = [...expression.matchAll(/\b((?:kindred|process|nodejs)_[a-z_]+)(?:\{(.*?)\})?/g)];
  for (const [, name, labels = ''] of named) {
    const known = metrics.get(name);
    assert.ok(known, `${where}: ${name} does not exist`);
    for (const [, label] of labels.matchAll(/(\w+)(?:=|!)/g)) {
      assert.ok(known.has(label) || OTHER_LABELS.includes(label), `${where}: ${name} has no label ${label}`);
    }
  }
}

/** `jobs --status FAILED`: a command, its subcommand if it has some, and options that it knows. */
async function checkCommand(given: string, where: string): Promise<void> {
  const program = new Command();
  for (const load of Object.values(COMMANDS)) (await load())(program);
  const [name, ...rest] = given.split(' ');
  const command = program.commands.find((one) => one.name() === name);
  assert.ok(command, `${where}: kindred ${name} does not exist`);
  const { operands, unknown } = command.parseOptions(rest);
  const subcommand = command.commands.find((one) => one.name() === operands[0]);
  assert.ok(operands.length === 0 || subcommand, `${where}: kindred ${name} has no subcommand ${operands[0]}`);
  assert.deepEqual(unknown, [], `${where}: kindred ${given}`);
}

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}

test('every panel of the Grafana board shows metrics that exist', () => {
  const { panels, templating } = JSON.parse(read('deploy/grafana/kindred.json')) as {
    panels: Panel[];
    templating: { list: { query: string }[] };
  };
  const shown = panels.filter(({ type }) => type !== 'row');
  assert.ok(shown.length > 15);
  for (const { title, targets = [] } of shown) {
    assert.ok(targets.length > 0, title);
    for (const { expr } of targets) {
      assert.match(expr, /(kindred|process)_/, title);
      checkExpression(expr, title);
    }
  }
  for (const { query } of templating.list) checkExpression(query, 'variables');
});

test('every alert is about metrics that exist and says what to do', async () => {
  const { groups } = parse(read('deploy/helm/kindred/files/alerts.yaml')) as {
    groups: {
      rules: { alert: string; expr: string; annotations: Record<string, string>; labels: Record<string, string> }[];
    }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  const names = rules.map(({ alert }) => alert);
  for (const wanted of ['KindredJobsFail', 'KindredModelOld', 'KindredSlow', 'KindredDiskFull'])
    assert.ok(names.includes(wanted), wanted);
  for (const { alert, expr, annotations, labels } of rules) {
    checkExpression(expr, alert);
    assert.match(annotations.summary, /\.$/, alert);
    assert.match(annotations.description, /\.$/, alert);
    assert.match(labels.severity, /^(warning|critical)$/, alert);
    for (const [, given] of annotations.description.matchAll(/"kindred ([^"]+)"/g)) await checkCommand(given, alert);
  }
});

test('the page about operations names every metric of Kindred that the board shows', () => {
  const page = read('docs/operations.md');
  const shown = [...read('deploy/grafana/kindred.json').matchAll(/kindred_[a-z_]+/g)].map(([name]) =>
    name.replace(/_(bucket|sum|count)$/, ''),
  );
  for (const name of new Set(shown)) assert.ok(page.includes(name), name);
});
