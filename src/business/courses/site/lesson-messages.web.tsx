import { type FormEvent, useId, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { formatDay } from '../../../kernel/contract/dates.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { LESSON_LENGTHS, type LessonMessage } from '../course-videos.contract.ts';

interface LessonMessagesProps {
  readonly messages: readonly Omit<LessonMessage, 'lesson_id'>[];
  /** What the reader's own side is called, and the other one. */
  readonly own: string;
  readonly other: string;
  /** The reader is of the agency. */
  readonly atDesk?: boolean;
  readonly label: string;
  readonly empty: string;
  /** @throws Error with a sentence */
  readonly onSend: (text: string) => Promise<void>;
}

/** What both sides wrote about a lesson, and a field to write more. */
export function LessonMessages(props: LessonMessagesProps) {
  const { messages, own, other, atDesk = false, label, empty, onSend } = props;
  const id = useId();
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy || text.trim() === '') return;
    setBusy(true);
    try {
      await onSend(text.trim());
      setText('');
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="lesson-talk" aria-label="Messages">
      {messages.length === 0 ? (
        <p className="meta">{empty}</p>
      ) : (
        <ol>
          {messages.map((message) => (
            <li key={message.id} data-own={message.from_agency === atDesk || undefined}>
              <span className="meta num">
                {message.from_agency === atDesk ? own : other} ·{' '}
                <time dateTime={message.created_at}>{formatDay(new Date(message.created_at))}</time>
              </span>
              <p>{message.body}</p>
            </li>
          ))}
        </ol>
      )}
      <form onSubmit={(event) => void send(event)}>
        <div className="field">
          <label htmlFor={id}>{label}</label>
          <textarea
            id={id}
            rows={2}
            maxLength={LESSON_LENGTHS.message}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        </div>
        <Button small look="quiet" type="submit" busy={busy} disabled={text.trim() === ''}>
          Send message
        </Button>
      </form>
    </section>
  );
}
