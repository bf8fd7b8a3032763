// A call that returns a list has two addresses, which are declared here once: its own, where the body may name the project, and
// one below the project's serving_uri. At both its rate is checked before the body is read.

import type { Static, TObject, TSchema } from 'typebox';
import type { DeployedModels } from '../../serving/deployed-models.ts';
import type { Serving } from '../../serving/start-serving.ts';
import { defineRoute, jsonText, type Route } from '../route.ts';
import { closed, ServiceId } from '../schemas/common.ts';
import { EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { RECOMMENDING_ERRORS } from '../schemas/recommend.ts';
import { ofProject } from './project-of-path.ts';

export interface ListCall<B extends TObject, R extends TSchema> {
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly body: B;
  readonly response: R;
  readonly examples: { readonly request: unknown; readonly response: unknown };
  /** Path after /projects/:project_id → what the API reference says about it. Default: the call's own path. */
  readonly belowProject?: Readonly<Record<string, string>>;
  respond(accountId: string, body: Static<B>, admission: Admission): Promise<string | Buffer>;
}

type Admission = ReturnType<DeployedModels['admit']>;

export function listCallRoutes<B extends TObject, R extends TSchema>(
  { deployed }: Pick<Serving, 'deployed'>,
  call: ListCall<B, R>,
): Route[] {
  const { path, summary, description, body, response, examples, respond } = call;
  const { belowProject = { [path]: "Below the project's serving_uri." } } = call;
  const declaration = {
    method: 'POST',
    scope: path,
    tag: 'Recommendation',
    bodyClass: 'medium',
    errors: RECOMMENDING_ERRORS,
    quiet: true,
    isList: true,
    summary,
    body,
    response,
  } as const;
  return [
    defineRoute({
      ...declaration,
      path,
      description,
      examples,
      beforeBody: ({ caller }) => deployed.admit(caller.accountId, undefined),
      handler: ({ body: asked, caller, reply, admission }) =>
        jsonText(reply, respond(caller.accountId, asked, admission)),
    }),
    ...Object.entries(belowProject).map(([below, about]) =>
      defineRoute({
        ...declaration,
        path: `/projects/:project_id${below}`,
        description: about,
        params: closed({ project_id: ServiceId }),
        examples: { ...examples, params: { project_id: EXAMPLE_PROJECT_ID } },
        beforeBody: ({ caller, params }) => deployed.admit(caller.accountId, params.project_id),
        handler: ({ body: asked, params, caller, reply, admission }) =>
          jsonText(
            reply,
            respond(caller.accountId, ofProject(asked as object, params.project_id) as Static<B>, admission),
          ),
      }),
    ),
  ];
}
