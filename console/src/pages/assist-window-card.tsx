// On the page of a project: for how long an item that was shown assists events.
import { useState } from 'react';
import type { Project } from '../../../src/client/index.ts';
import { MAX_ASSIST_HOURS } from '../../../src/domain/project.ts';
import { useRefresh } from '../api/use-call.ts';
import { plural } from '../format.ts';
import { useClient } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { ActionForm } from '../ui/action-form.tsx';
import { Button } from '../ui/button.tsx';
import { Card, Facts } from '../ui/card.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { useToast } from '../ui/toast.tsx';

export function AssistWindowCard({ project }: { project: Project }) {
  const [isOpen, setOpen] = useState(false);
  const hours = project.assist_window_hours;
  return (
    <Card
      title="Outcomes"
      lead="An event counts as assisted if its item was shown to the same user in the hours before it and the event does not name the list."
      actions={
        <Button needs="/update-project" size="small" onPress={() => setOpen(true)}>
          Change window
        </Button>
      }
    >
      <Facts facts={[{ name: 'Assist window', value: plural(hours, 'hour') }]} />
      <Dialog title="Assist window" isOpen={isOpen} onClose={() => setOpen(false)}>
        <WindowForm projectId={project.project_id} hours={hours} onSaved={() => setOpen(false)} />
      </Dialog>
    </Card>
  );
}

const isWindow = (text: string): boolean => /^[1-9]\d*$/.test(text.trim()) && Number(text) <= MAX_ASSIST_HOURS;

function WindowForm({ projectId, hours, onSaved }: { projectId: string; hours: number; onSaved: () => void }) {
  const client = useClient();
  const refresh = useRefresh();
  const toast = useToast();
  const [text, setText] = useState(String(hours));
  const submit = useAction(async () => {
    await client.updateProject({ project_id: projectId, assist_window_hours: Number(text) });
    await refresh('/get-project', '/list-projects');
    toast('Assist window changed');
  }, onSaved);
  return (
    <ActionForm action={submit} submit="Save" isDisabled={!isWindow(text)}>
      <TextField
        label="Hours"
        value={text}
        onChange={setText}
        inputMode="numeric"
        hint={`1 to ${MAX_ASSIST_HOURS}. Applies to items that are shown from now on.`}
      />
    </ActionForm>
  );
}
