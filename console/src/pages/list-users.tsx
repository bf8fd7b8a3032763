// Whom lists are for: all users, some, or those that a question about users found.
import { useState } from 'react';
import { MAX_JOB_USER_IDS } from '../../../src/domain/recommendation-job.ts';
import { type ListJobRequest, useUserLists } from '../api/list-jobs.ts';
import { formatWhole, plural } from '../format.ts';
import { Segments, SelectField, TextField } from '../ui/field.tsx';

type Whose = 'all' | 'some' | 'query';

export interface UsersChoice {
  whose: Whose;
  setWhose: (whose: Whose) => void;
  text: string;
  setText: (text: string) => void;
  jobId: string | null;
  setJobId: (jobId: string) => void;
  ids: string[];
  /** null: not complete yet */
  request: ListJobRequest['users'] | null;
}

/** Begins with the users of a question, if one is given. */
export function useUsersChoice(queryId: string | null): UsersChoice {
  const [whose, setWhose] = useState<Whose>(queryId === null ? 'all' : 'query');
  const [text, setText] = useState('');
  const [jobId, setJobId] = useState<string | null>(queryId);
  const ids = [...new Set(text.split(/[\n,]/).map((id) => id.trim()))].filter(Boolean);
  const some = ids.length > 0 && ids.length <= MAX_JOB_USER_IDS ? { user_ids: ids } : null;
  const request =
    whose === 'all' ? ({ all: true } as const) : whose === 'some' ? some : jobId ? { job_id: jobId } : null;
  return { whose, setWhose, text, setText, jobId, setJobId, ids, request };
}

export function UsersField({ projectId, choice }: { projectId: string; choice: UsersChoice }) {
  const { whose, ids } = choice;
  const queries = useUserLists(projectId);
  return (
    <div className="stack">
      <Segments
        label="Users"
        value={whose}
        onChange={choice.setWhose}
        choices={[
          { value: 'all', label: 'All' },
          { value: 'some', label: 'Some' },
          { value: 'query', label: 'From Insight' },
        ]}
      />
      {whose === 'all' && <p className="hint">Users of the dataset and users with events.</p>}
      {whose === 'some' && (
        <TextField
          label="User ids"
          multiline
          value={choice.text}
          onChange={choice.setText}
          placeholder={'user-1\nuser-2'}
          hint={ids.length > 0 ? plural(ids.length, 'user') : 'One per line, or separated by commas.'}
          error={ids.length > MAX_JOB_USER_IDS ? `Up to ${formatWhole(MAX_JOB_USER_IDS)} users.` : undefined}
        />
      )}
      {whose === 'query' && (
        <SelectField
          label="The users of"
          value={choice.jobId}
          onChange={choice.setJobId}
          choices={queries.map(({ job_id, name }) => ({ value: job_id, label: name }))}
          placeholder={queries.length > 0 ? 'Choose a question' : 'No questions in the last 24 hours'}
          hint="Ask “Which users prefer it?” on the Insight page first."
        />
      )}
    </div>
  );
}
