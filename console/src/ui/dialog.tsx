// Modal dialogs: they trap focus, close on Escape, and return focus to where it was.
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useAction } from './action.ts';
import { Button } from './button.tsx';
import { Problem } from './problem.tsx';

export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  wide,
  isBusy = false,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  /** Something runs whose result it will show: it stays open. */
  isBusy?: boolean;
}) {
  return (
    <ModalOverlay
      className="modal-overlay fade-in"
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={!isBusy}
      isKeyboardDismissDisabled={isBusy}
    >
      <Modal className={wide ? 'modal wide' : 'modal'}>
        <AriaDialog className="dialog">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Asks for confirmation before an action, and shows its error in the dialog. */
export function ConfirmDialog({
  title,
  isOpen,
  onClose,
  confirm,
  cancel = 'Cancel',
  action,
  danger,
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** Text of the button. */
  confirm: string;
  cancel?: string;
  action: () => Promise<unknown>;
  danger?: boolean;
  children: ReactNode;
}) {
  const run = useAction(async () => {
    await action();
    onClose();
  });
  const close = () => {
    run.reset();
    onClose();
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close} isBusy={run.isPending}>
      <div className="soft">{children}</div>
      {run.error !== null && <Problem error={run.error} />}
      <div className="row end">
        <Button onPress={close} isDisabled={run.isPending}>
          {cancel}
        </Button>
        <Button look={danger ? 'danger' : 'primary'} isPending={run.isPending} onPress={run.start}>
          {confirm}
        </Button>
      </div>
    </Dialog>
  );
}
