// Buttons and links that look like buttons. A pending button keeps its width, so that the layout does not shift.
import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Link } from 'wouter';

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
  children: ReactNode;
}

export function Button({ look, size, icon, children, ...rest }: ButtonProps) {
  return (
    <AriaButton {...rest} className={classOf({ look, size, icon })}>
      {children}
    </AriaButton>
  );
}

export function LinkButton({ to, children, ...look }: Look & { to: string; children: ReactNode }) {
  return (
    <Link href={to} className={classOf(look)}>
      {children}
    </Link>
  );
}
