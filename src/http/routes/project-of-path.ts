// A call at a project's own address: the path names the project, and the body must not name a different one.
import { AppError } from '../../errors.ts';

export function ofProject<T extends { project_id?: string }>(body: T, projectId: string): T {
  if (body.project_id !== undefined && body.project_id !== projectId) {
    throw new AppError('INVALID_REQUEST', 'project_id differs from the project in the path.', {
      errors: [{ pointer: '/project_id', message: 'must be the project of the path' }],
    });
  }
  return { ...body, project_id: projectId };
}
