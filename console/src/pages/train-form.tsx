// Submits a training job: with what the service chooses by itself, or with parameters written as JSON.
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import { useRefresh } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';

export function TrainForm({ projectId, onSubmitted }: { projectId: string; onSubmitted: (jobId: string) => void }) {
  const client = useClient();
  const refresh = useRefresh();
  const [name, setName] = useState('');
  const [parameters, setParameters] = useState('{}');
  const parsed = parseParameters(parameters);
  const train = useAction(async () => {
    const trainingName = name.trim() || defaultTrainingName();
    const algorithm = await client.createAlgorithm({
      project_id: projectId,
      name: trainingName,
      algorithm_type: 'G1',
      algorithm_parameters: parsed.value ?? {},
    });
    const { job_id } = await client.submitTrainingJob({
      project_id: projectId,
      algorithm_id: algorithm.algorithm_id,
      name: trainingName,
    });
    await refresh('/list-jobs', '/list-algorithms');
    onSubmitted(job_id);
  });
  return (
    <Form
      className="stack"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        train.start();
      }}
    >
      <TextField
        label="Name of the model"
        value={name}
        onChange={setName}
        placeholder={defaultTrainingName()}
        hint="For you to tell models apart."
      />
      <details className="disclosure">
        <summary>Parameters of G1</summary>
        <TextField
          label="algorithm_parameters"
          multiline
          value={parameters}
          onChange={setParameters}
          error={parsed.error}
          hint="An empty object lets the service choose everything on held-out events. Every parameter is described on the API page."
        />
      </details>
      {train.error !== null && <Problem error={train.error} />}
      <Button look="primary" type="submit" isPending={train.isPending} isDisabled={parsed.error !== undefined}>
        Start training
      </Button>
    </Form>
  );
}

export function defaultTrainingName(now: Date = new Date()): string {
  return `G1, ${now.toLocaleDateString('en', { month: 'short', day: 'numeric' })} ${now.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`;
}

function parseParameters(text: string): { value?: Record<string, unknown>; error?: string } {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { error: 'This must be a JSON object.' };
    return { value: value as Record<string, unknown> };
  } catch (error) {
    return { error: `This is not JSON yet: ${(error as Error).message}` };
  }
}
