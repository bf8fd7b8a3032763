// Submits a deployment job: which model makes the recommendations, which one (if any) re-ranks them, how many calls a second.
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import type { Model } from '../../../src/client/index.ts';
import { useRefresh } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';

const NONE = 'none';
export const CONSOLE_QPS = 50;

export function DeployForm({
  projectId,
  models,
  generatorId,
  rankerId,
  onSubmitted,
}: {
  projectId: string;
  models: Model[];
  generatorId: string | null;
  rankerId?: string;
  onSubmitted: (jobId: string) => void;
}) {
  const client = useClient();
  const refresh = useRefresh();
  const [generator, setGenerator] = useState(generatorId ?? models[0]?.model_id ?? null);
  const [ranker, setRanker] = useState(rankerId ?? NONE);
  const [qps, setQps] = useState(String(CONSOLE_QPS));
  const qpsNumber = Number(qps);
  const qpsError = Number.isInteger(qpsNumber) && qpsNumber >= 1 ? undefined : 'A whole number from 1 upwards.';
  const choices = models.map((model) => ({ value: model.model_id, label: model.name }));
  const deploy = useAction(async () => {
    const { job_id } = await client.submitDeploymentJob({
      project_id: projectId,
      name: `Deploy ${models.find((model) => model.model_id === generator)?.name ?? 'model'}`.slice(0, 128),
      generator_model_id: generator ?? '',
      ...(ranker === NONE ? {} : { ranker_model_id: ranker }),
      qps: qpsNumber,
    });
    await refresh('/list-jobs');
    onSubmitted(job_id);
  });
  return (
    <Form
      className="stack"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        deploy.start();
      }}
    >
      <SelectField
        label="Generator"
        hint="Finds the items to recommend."
        choices={choices}
        value={generator}
        onChange={setGenerator}
      />
      <SelectField
        label="Ranker (optional)"
        hint="Puts the generator’s best few hundred into its own order."
        choices={[{ value: NONE, label: 'None' }, ...choices.filter((choice) => choice.value !== generator)]}
        value={ranker}
        onChange={setRanker}
      />
      <TextField
        label="Calls a second"
        inputMode="numeric"
        value={qps}
        onChange={setQps}
        error={qpsError}
        hint="More are refused with 429 until the next second."
      />
      {deploy.error !== null && <Problem error={deploy.error} />}
      <Button look="primary" type="submit" isPending={deploy.isPending} isDisabled={!generator || Boolean(qpsError)}>
        Deploy
      </Button>
    </Form>
  );
}
