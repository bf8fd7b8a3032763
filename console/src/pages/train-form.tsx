// Submits a training job, either automatic or with parameters written as JSON.
import { useState } from 'react';
import { defaultTrainingName, submitTraining } from '../api/submit-jobs.ts';
import { useRefresh } from '../api/use-call.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { TextField } from '../ui/field.tsx';

export function TrainForm({ projectId, onSubmitted }: { projectId: string; onSubmitted: () => void }) {
  const client = useClient();
  const refresh = useRefresh();
  const [name, setName] = useState('');
  const [parameters, setParameters] = useState('{}');
  const parsed = parseParameters(parameters);
  const train = useAction(async () => {
    await submitTraining(client, projectId, name.trim() || undefined, parsed.value);
    await refresh('/list-jobs', '/list-algorithms');
  }, onSubmitted);
  return (
    <ActionForm action={train} submit="Start training" isDisabled={parsed.error !== undefined}>
      <TextField
        label="Name of the model"
        value={name}
        onChange={setName}
        placeholder={defaultTrainingName()}
        hint="Helps you tell models apart."
      />
      <details className="disclosure">
        <summary>Parameters of G1</summary>
        <TextField
          label="algorithm_parameters"
          multiline
          value={parameters}
          onChange={setParameters}
          error={parsed.error}
          hint="Leave the object empty to let the service choose everything. The API reference describes every parameter."
        />
      </details>
    </ActionForm>
  );
}

function parseParameters(text: string): { value?: Record<string, unknown>; error?: string } {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { error: 'Enter a JSON object.' };
    return { value: value as Record<string, unknown> };
  } catch (error) {
    return { error: `This is not valid JSON: ${(error as Error).message}` };
  }
}
