// One switch: whether a project trains and deploys automatically.
import type { Project } from '../../../src/client/index.ts';
import { type AutomationRules, DEFAULT_RULES, rulesInWords, useSaveAutomation } from '../api/automation.ts';
import { useRefusal } from '../session/session.tsx';
import { useAction } from '../ui/action.ts';
import { SwitchField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { useToast } from '../ui/toast.tsx';

export function AutomationSwitch({ project }: { project: Project }) {
  const save = useSaveAutomation(project.project_id);
  const toast = useToast();
  const refusal = useRefusal('/update-project');
  const rules = project.automation as AutomationRules | null;
  const change = useAction(async () => {
    await save(rules === null ? DEFAULT_RULES : null);
    toast(rules === null ? 'Automation is on' : 'Automation is off');
  });
  return (
    <div className="stack-s">
      <SwitchField isSelected={rules !== null} onChange={change.start} isDisabled={refusal !== null}>
        Train and deploy automatically
      </SwitchField>
      <p className="hint">
        {rules === null
          ? 'Off: the model stays as it is until you train a new one.'
          : `Trains ${rulesInWords(rules)}. A model that is worse than the deployed one is not deployed.`}
      </p>
      {refusal !== null && <p className="hint">{refusal}</p>}
      {change.error !== null && <Problem error={change.error} />}
    </div>
  );
}
