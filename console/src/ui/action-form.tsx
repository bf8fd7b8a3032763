// A form with one button: its action runs once at a time, and its error is shown above the button.
import type { ReactNode } from 'react';
import { Form } from 'react-aria-components';
import type { OperationPath } from '../../../src/client/index.ts';
import type { Action } from './action.ts';
import { Button } from './button.tsx';
import { Problem } from './problem.tsx';

export function ActionForm({
  action,
  submit,
  isDisabled,
  needs,
  children,
}: {
  action: Action;
  /** Text of the button. */
  submit: string;
  isDisabled?: boolean;
  /** What the button calls. */
  needs?: OperationPath;
  children: ReactNode;
}) {
  return (
    <Form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        action.start();
      }}
    >
      {children}
      {action.error !== null && <Problem error={action.error} />}
      <Button needs={needs} look="primary" type="submit" isPending={action.isPending} isDisabled={isDisabled}>
        {submit}
      </Button>
    </Form>
  );
}
