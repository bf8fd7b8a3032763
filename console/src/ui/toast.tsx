// Short messages at the edge of the screen. Screen readers announce them, they disappear by themselves, and no task needs them.
import { X } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { Button } from './button.tsx';

const SHOWN_MS = 6000;

interface Toast {
  id: number;
  text: ReactNode;
}

const ToastContext = createContext<(text: ReactNode) => void>(() => {});

export function useToast(): (text: ReactNode) => void {
  return useContext(ToastContext);
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const nextId = useRef(0);
  const remove = useCallback((id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)), []);
  const show = useCallback(
    (text: ReactNode) => {
      const id = nextId.current++;
      setToasts((shown) => [...shown.slice(-2), { id, text }]);
      setTimeout(() => remove(id), SHOWN_MS);
    },
    [remove],
  );
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map((toast) => (
          <div key={toast.id} className="toast fade-in">
            <div className="grow">{toast.text}</div>
            <Button look="quiet" size="small" icon aria-label="Close" onPress={() => remove(toast.id)}>
              <X size={15} aria-hidden />
            </Button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
