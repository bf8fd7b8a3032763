// What an empty service shows: two ways to add data.
import { Clapperboard, FileUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { LIST_DATASETS } from '../api/datasets.ts';
import { useRefresh } from '../api/use-call.ts';
import { formatWhole } from '../format.ts';
import { loadSample, type SampleDatasets, type SampleProgress, type SampleSizeName } from '../import/load-sample.ts';
import { useClient } from '../session/session.tsx';
import { Page } from '../shell/page.tsx';
import { useAction } from '../ui/action.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { Progress } from '../ui/progress.tsx';

export function Welcome({ onLoading }: { onLoading: (loading: boolean) => void }) {
  return (
    <Page
      title="Welcome to Kindred"
      lead="Personal recommendations from your users, items and events. Your data stays on this machine. Choose how to start."
    >
      <div className="welcome">
        <SampleCard onLoading={onLoading} />
        <section className="card" aria-labelledby="own-data">
          <span className="way-icon second">
            <FileUp size={24} strokeWidth={1.7} aria-hidden />
          </span>
          <h2 id="own-data">Bring your own data</h2>
          <p>
            Drop CSV or JSON Lines files of users, items and events. You see a preview before anything is stored, and
            the reason for every row that is skipped.
          </p>
          <LinkButton needs="/upsert-dataset-items" to="/import">
            Choose files
          </LinkButton>
        </section>
      </div>
      <p className="hint">
        You can also send data through the <a href="/docs">API</a> or from the command line:{' '}
        <code>npx kindred import FILE</code>.
      </p>
    </Page>
  );
}

function SampleCard({ onLoading }: { onLoading: (loading: boolean) => void }) {
  const client = useClient();
  const refresh = useRefresh();
  const [, navigate] = useLocation();
  const [progress, setProgress] = useState<SampleProgress | null>(null);
  const datasets = useRef<SampleDatasets>({});
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const load = useAction(async () => {
    abort.current = new AbortController();
    onLoading(true);
    try {
      const sample = { size: sampleSize(), datasets: datasets.current };
      await loadSample(client, sample, setProgress, abort.current.signal);
      await refresh(...LIST_DATASETS);
      navigate('/start');
    } finally {
      onLoading(false);
    }
  });
  return (
    <section className="card" aria-labelledby="sample-data">
      <span className="way-icon">
        <Clapperboard size={24} strokeWidth={1.7} aria-hidden />
      </span>
      <h2 id="sample-data">Load the sample catalog</h2>
      <p>
        1,200 made-up films with genres and prices, 8,000 viewers and 300,000 events. Enough to train a real model and
        try every feature.
      </p>
      {load.error !== null && <Problem error={load.error} />}
      {load.isPending ? (
        <div className="import-progress">
          <Progress
            label="Loading the sample"
            fraction={progress?.fraction ?? 0}
            note={
              progress ? `${formatWhole(progress.done)} of ${formatWhole(progress.total)} ${progress.what}` : 'Starting'
            }
          />
        </div>
      ) : (
        <Button needs="/create-project" look="primary" onPress={load.start}>
          Load the sample
        </Button>
      )}
    </section>
  );
}

/** `?sample=demo` in the address loads a smaller sample. */
function sampleSize(): SampleSizeName {
  const asked = new URLSearchParams(location.search).get('sample');
  return asked === 'demo' || asked === 'small' ? asked : 'full';
}
