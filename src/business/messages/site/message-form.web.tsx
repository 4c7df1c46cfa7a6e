import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Button } from '../../../ui/parts/button.tsx';

interface MessageFormProps {
  readonly label: string;
  /** Longest message, characters. */
  readonly most: number;
  /** Sending is the one next step of the view. */
  readonly isMain?: boolean;
  /** Between the field and the button, e.g. what is attached. */
  readonly children?: ReactNode;
  /** When it throws, the text stays in the field. @throws Error with a sentence */
  readonly onSend: (text: string) => Promise<void>;
}

/** A field for a message, and the button that sends it. */
export function MessageForm({ label, most, isMain = false, children, onSend }: MessageFormProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy || text.trim() === '') return;
    setBusy(true);
    try {
      await onSend(text.trim());
      setText('');
      // The button has nothing to send any more, and would lose the keyboard.
      field.current?.focus();
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)}>
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <textarea
          ref={field}
          id={id}
          rows={2}
          maxLength={most}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      {children}
      <Button
        small
        look={isMain ? 'signal' : 'quiet'}
        type="submit"
        busy={busy}
        disabled={text.trim() === ''}
      >
        Send message
      </Button>
    </form>
  );
}
