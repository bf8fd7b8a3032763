// The Helm chart with the real helm: it lints, and what it renders is what an operator expects. Needs Go, which builds helm once
// into a cache folder.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { loadConfig, unknownVariables } from '../../src/config/config.ts';
import { MAX_IMPORT_BYTES } from '../../src/domain/import-job.ts';
import { DEFAULT_RESULT_GIB } from '../../src/domain/job.ts';
import { goProgram } from '../support/go-program.ts';

const VERSION = '3.22.0';
const CHART = join(import.meta.dirname, '../../deploy/helm/kindred');
const REQUIRED = [
  '--set=image.repository=registry.example/kindred',
  '--set=database.url=postgres://kindred:secret@db:5432/kindred',
  '--set=artifacts.url=s3://models/kindred',
];

let helm: string;
before(() => {
  helm = goProgram({ name: 'helm', path: 'helm.sh/helm/v3/cmd/helm', version: VERSION });
});

const run = (...args: string[]) => spawnSync(helm, args, { encoding: 'utf8' });

interface Container {
  name: string;
  image: string;
  args: string[];
  env: { name: string; value?: string; valueFrom?: object }[];
  envFrom?: object[];
  ports?: { containerPort: number }[];
  securityContext: Record<string, unknown>;
  readinessProbe?: { httpGet: { path: string } };
  livenessProbe?: { httpGet: { path: string } };
  volumeMounts: { name: string; mountPath: string }[];
}
// biome-ignore lint/suspicious/noExplicitAny: the test looks into objects of Kubernetes freely.
type KubernetesObject = { kind: string; metadata: { name: string }; spec: any; stringData?: Record<string, string> };

const render = (...settings: string[]) => renderRelease('shop', ...settings);

function renderRelease(name: string, ...settings: string[]): KubernetesObject[] {
  const { status, stdout, stderr } = run('template', name, CHART, '--kube-version=1.31.0', ...REQUIRED, ...settings);
  assert.equal(status, 0, stderr);
  return parseAllDocuments(stdout).flatMap((document) => (document.contents === null ? [] : [document.toJS()]));
}

const named = (objects: KubernetesObject[], kind: string, name: string): KubernetesObject => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  assert.ok(found, `${kind} ${name}`);
  return found;
};

const EVERYTHING = [
  '--set=kafka.enabled=true',
  '--set=kafka.env.KINDRED_KAFKA_BROKERS=kafka:9092',
  '--set=kafka.env.KINDRED_KAFKA_EVENT_TOPICS=clicks',
  '--set=secretEnv={aws,kafka}',
  '--set=ingress.enabled=true',
  '--set=ingress.host=recommend.example',
  '--set=ingress.tlsSecret=tls',
  '--set=api.autoscaling.enabled=true',
  '--set=serviceMonitor.enabled=true',
  '--set=prometheusRule.enabled=true',
  '--set=baseUrl=https://recommend.example',
  '--set=env.KINDRED_LOG_LEVEL=warn',
];

test('the chart lints, with the least and with every setting', () => {
  for (const settings of [[], EVERYTHING]) {
    const { status, stdout, stderr } = run(
      'lint',
      CHART,
      '--strict',
      '--kube-version=1.31.0',
      ...REQUIRED,
      ...settings,
    );
    assert.equal(status, 0, stdout + stderr);
  }
});

test('what is required is named when it is missing', () => {
  for (const [i, wanted] of ['image.repository', 'database.url', 'artifacts.url'].entries()) {
    const { status, stderr } = run('template', CHART, '--kube-version=1.31.0', ...REQUIRED.filter((_, at) => at !== i));
    assert.notEqual(status, 0);
    assert.ok(stderr.includes(wanted), stderr);
  }
  const taken = run('template', CHART, '--kube-version=1.31.0', ...REQUIRED, '--set=env.KINDRED_ROLES=api');
  assert.match(taken.stderr, /KINDRED_ROLES is set by the chart/);
});

test('every container runs without rights on a read-only file system, with settings the service knows', () => {
  const deployments = render(...EVERYTHING).filter(({ kind }) => kind === 'Deployment');
  assert.deepEqual(
    deployments.map(({ metadata }) => metadata.name),
    ['shop-kindred-api', 'shop-kindred-worker', 'shop-kindred-kafka'],
  );
  for (const { spec } of deployments) {
    const pod = spec.template.spec;
    assert.equal(pod.securityContext.runAsNonRoot, true);
    assert.equal(pod.automountServiceAccountToken, false);
    assert.equal(spec.strategy.type, 'Recreate', 'versions do not run side by side');
    for (const container of [...(pod.initContainers ?? []), ...pod.containers] as Container[]) {
      assert.equal(container.securityContext.readOnlyRootFilesystem, true);
      assert.equal(container.securityContext.allowPrivilegeEscalation, false);
      assert.deepEqual(container.securityContext.capabilities, { drop: ['ALL'] });
      assert.deepEqual(container.envFrom, [{ secretRef: { name: 'aws' } }, { secretRef: { name: 'kafka' } }]);
      const env = Object.fromEntries(
        container.env.map(({ name, value }) => [name, value ?? 'postgres://kindred:secret@db:5432/kindred']),
      );
      assert.deepEqual(unknownVariables(env), []);
      const config = loadConfig(env);
      assert.equal(config.artifactsUrl, 's3://models/kindred');
      assert.equal(config.logLevel, 'warn');
      const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
      assert.deepEqual(mounts, [config.dataDir, '/tmp']);
    }
  }
});

test('the Service of a release named kindred does not set KINDRED_PORT in the pods', () => {
  const objects = renderRelease('kindred', ...EVERYTHING);
  named(objects, 'Service', 'kindred');
  for (const { spec } of objects.filter(({ kind }) => kind === 'Deployment')) {
    const pod = spec.template.spec;
    assert.equal(pod.enableServiceLinks, false);
    for (const { env, ports } of [...(pod.initContainers ?? []), ...pod.containers] as Container[]) {
      const port = env.find(({ name }) => name === 'KINDRED_PORT')?.value;
      assert.equal(port, '8080');
      for (const { containerPort } of ports ?? []) assert.equal(port, String(containerPort));
    }
  }
});

test('the API migrates first, is probed, and is reached by service and ingress; workers listen nowhere', () => {
  const objects = render(...EVERYTHING);
  const { initContainers, containers } = named(objects, 'Deployment', 'shop-kindred-api').spec.template.spec;
  assert.deepEqual(initContainers[0].args, ['migrate']);
  assert.equal(containers[0].readinessProbe.httpGet.path, '/readyz');
  assert.equal(containers[0].startupProbe.httpGet.path, '/readyz?models=true');
  assert.equal(containers[0].livenessProbe.httpGet.path, '/healthz');
  assert.equal(containers[0].image, 'registry.example/kindred:0.1.0');
  const worker = named(objects, 'Deployment', 'shop-kindred-worker').spec.template.spec.containers[0];
  assert.equal(worker.ports, undefined);
  const service = named(objects, 'Service', 'shop-kindred').spec;
  assert.equal(service.selector['app.kubernetes.io/component'], 'api');
  const ingress = named(objects, 'Ingress', 'shop-kindred').spec;
  assert.equal(ingress.rules[0].host, 'recommend.example');
  assert.equal(named(objects, 'HorizontalPodAutoscaler', 'shop-kindred-api').spec.maxReplicas, 10);
  assert.equal(named(objects, 'PodDisruptionBudget', 'shop-kindred-api').spec.minAvailable, 1);
  assert.ok(named(objects, 'PrometheusRule', 'shop-kindred').spec.groups[0].rules.length > 5);
});

test('the volume of a pod has room for the cache and for what is next to it', () => {
  const GIB = 1024 ** 3;
  // Only imports and results have limits. 12 GiB for events of trainings is what values.yaml says.
  const room = { api: GIB, worker: MAX_IMPORT_BYTES + 3 * DEFAULT_RESULT_GIB * GIB + 12 * GIB };
  for (const settings of [[], ['--set=api.cacheGi=30', '--set=worker.cacheGi=30']]) {
    const objects = render(...settings);
    for (const [component, bytes] of Object.entries(room)) {
      const { containers, volumes } = named(objects, 'Deployment', `shop-kindred-${component}`).spec.template.spec;
      const [container] = containers as Container[];
      const cacheMb = Number(container.env.find(({ name }) => name === 'KINDRED_ARTIFACT_CACHE_MB')?.value);
      assert.equal(cacheMb, (settings.length === 0 ? 10 : 30) * 1024);
      const [size, gib] = /^(\d+)Gi$/.exec(volumes[0].emptyDir.sizeLimit)!;
      assert.ok(Number(gib) * GIB >= cacheMb * 1024 ** 2 + bytes, size);
    }
  }
});

test('sizes of volumes that are no whole GiB, and settings with earlier names, are refused', () => {
  const refusal = (setting: string): string => {
    const { status, stderr } = run('template', CHART, '--kube-version=1.31.0', ...REQUIRED, `--set=${setting}`);
    assert.notEqual(status, 0, setting);
    return stderr;
  };
  for (const [setting, value] of [
    ...['0', '-1', '0.5', '10.5', '10Gi'].map((value) => ['api.cacheGi', value]),
    ['worker.cacheGi', 'null'],
    ['worker.scratchGi', '0.5'],
    ['api.scratchGi', '0'],
  ]) {
    const wanted = `Set ${setting} to a whole number of GiB, at least 1.`;
    assert.ok(refusal(`${setting}=${value}`).includes(wanted), `${setting}=${value}`);
  }
  for (const old of ['api.cacheSize', 'worker.scratchSize']) {
    assert.ok(refusal(`${old}=20Gi`).includes(`Replace ${old} with cacheGi and scratchGi`), old);
  }
});

test('an upgrade that keeps the defaults of an earlier chart is refused, and told how to get those of the new one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-chart-'));
  try {
    cpSync(CHART, folder, { recursive: true });
    // --reuse-values replaces all values of the new chart by those of the old one.
    const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
    const { cacheGi: _cache, scratchGi: _scratch, ...api } = values.api;
    for (const old of [api, { ...api, cacheSize: '10Gi' }]) {
      writeFileSync(join(folder, 'values.yaml'), stringify({ ...values, api: old }));
      const { status, stderr } = run('template', folder, '--kube-version=1.31.0', ...REQUIRED);
      assert.notEqual(status, 0);
      assert.match(stderr, /api\.(cacheGi|scratchGi|cacheSize) .*--reset-then-reuse-values/);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  // --reset-then-reuse-values lays what the operator set over the values of the new chart.
  render('--set=api.replicas=3', '--set=api.cacheSize=null', '--set=api.cacheGi=20');
});

test('the address of the database is in a Secret, or in one that exists', () => {
  const secret = named(render(), 'Secret', 'shop-kindred-database');
  assert.deepEqual(Object.keys(secret.stringData ?? {}), ['KINDRED_DATABASE_URL']);
  const objects = render('--set=database.existingSecret=mine');
  assert.ok(!objects.some(({ kind }) => kind === 'Secret'));
  const [container] = named(objects, 'Deployment', 'shop-kindred-api').spec.template.spec.containers as Container[];
  const { valueFrom } = container.env.find(({ name }) => name === 'KINDRED_DATABASE_URL')!;
  assert.deepEqual(valueFrom, { secretKeyRef: { name: 'mine', key: 'KINDRED_DATABASE_URL' } });
});
