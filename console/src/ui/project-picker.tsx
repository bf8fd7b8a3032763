// Which project a page is about; nothing where there is no choice.
import type { Project } from '../../../src/client/index.ts';
import { SelectField } from './field.tsx';

export function ProjectPicker(props: { projects: Project[]; project: Project; onPick: (projectId: string) => void }) {
  const { projects, project, onPick } = props;
  if (projects.length < 2) return null;
  return (
    <div className="project-picker">
      <SelectField
        label="Project"
        value={project.project_id}
        onChange={onPick}
        choices={projects.map(({ project_id, name }) => ({ value: project_id, label: name }))}
      />
    </div>
  );
}
