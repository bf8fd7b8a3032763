// Buttons and links that look like buttons. A pending button keeps its width, so that the layout does not shift.
import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Link } from 'wouter';
import type { OperationPath } from '../../../src/client/index.ts';
import { useRefusal } from '../session/session.tsx';

export type ButtonLook = 'plain' | 'primary' | 'danger' | 'quiet';

interface Look {
  look?: ButtonLook;
  size?: 'small';
  /** A square button; give it an aria-label. */
  icon?: boolean;
}

function classOf({ look = 'plain', size, icon }: Look): string {
  return ['button', look === 'plain' ? '' : look, size ?? '', icon ? 'icon' : ''].filter(Boolean).join(' ');
}

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className'>, Look {
  /** What it calls: disabled, with the reason, for whoever may not. */
  needs?: OperationPath;
  children: ReactNode;
}

export function Button({ look, size, icon, needs, children, ...rest }: ButtonProps) {
  const refusal = useRefusal(needs);
  const className = classOf({ look, size, icon });
  if (refusal === null) {
    return (
      <AriaButton {...rest} className={className}>
        {children}
      </AriaButton>
    );
  }
  return (
    <Refused reason={refusal}>
      <AriaButton {...rest} isDisabled className={className}>
        {children}
      </AriaButton>
    </Refused>
  );
}

/** A disabled control with the reason, for the pointer and for screen readers. */
function Refused({ reason, children }: { reason: string; children: ReactNode }) {
  return (
    <span className="refused" title={reason}>
      {children}
      <span className="visually-hidden">{reason}</span>
    </span>
  );
}

interface LinkButtonProps extends Look {
  to: string;
  /** What its page is for: disabled, with the reason, for whoever may not call it. */
  needs?: OperationPath;
  children: ReactNode;
}

export function LinkButton({ to, needs, children, ...look }: LinkButtonProps) {
  const refusal = useRefusal(needs);
  if (refusal !== null) {
    return (
      <Refused reason={refusal}>
        <AriaButton isDisabled className={classOf(look)}>
          {children}
        </AriaButton>
      </Refused>
    );
  }
  return (
    <Link href={to} className={classOf(look)}>
      {children}
    </Link>
  );
}
