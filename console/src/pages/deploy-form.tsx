// Submits a deployment job: which model generates recommendations, which one (if any) re-ranks them, and the rate limit.
import { useState } from 'react';
import type { Model } from '../../../src/client/index.ts';
import { submitDeployment } from '../api/submit-jobs.ts';
import { useRefresh } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { SelectField, TextField } from '../ui/field.tsx';

const NONE = 'none';

export function DeployForm({
  models,
  generatorId,
  rankerId,
  onSubmitted,
}: {
  models: Model[];
  generatorId: string | null;
  rankerId?: string;
  onSubmitted: () => void;
}) {
  const client = useClient();
  const refresh = useRefresh();
  const [generator, setGenerator] = useState(generatorId ?? models[0]?.model_id ?? null);
  const [ranker, setRanker] = useState(rankerId ?? NONE);
  const [qps, setQps] = useState('');
  const qpsNumber = qps.trim() === '' ? undefined : Number(qps);
  const qpsError =
    qpsNumber === undefined || (Number.isInteger(qpsNumber) && qpsNumber >= 1)
      ? undefined
      : 'Enter a whole number, 1 or more.';
  const choices = models.map((model) => ({ value: model.model_id, label: model.name }));
  const deploy = useAction(async () => {
    const model = models.find((candidate) => candidate.model_id === generator)!;
    await submitDeployment(client, model, {
      rankerId: ranker === NONE ? undefined : ranker,
      qps: qpsNumber,
    });
    await refresh('/list-jobs');
  }, onSubmitted);
  return (
    <ActionForm action={deploy} submit="Deploy" isDisabled={!generator || Boolean(qpsError)}>
      <SelectField
        label="Generator"
        hint="Finds the items to recommend."
        choices={choices}
        value={generator}
        onChange={setGenerator}
      />
      <SelectField
        label="Ranker (optional)"
        hint="Reorders the generator’s best items."
        choices={[{ value: NONE, label: 'None' }, ...choices.filter((choice) => choice.value !== generator)]}
        value={ranker}
        onChange={setRanker}
      />
      <TextField
        label="Rate limit (requests per second, optional)"
        inputMode="numeric"
        value={qps}
        onChange={setQps}
        error={qpsError}
        hint="Leave empty to keep the current limit. The first deployment gets the plan’s maximum."
      />
    </ActionForm>
  );
}
