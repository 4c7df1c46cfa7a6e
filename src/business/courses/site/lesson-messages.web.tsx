import { MessageForm } from '../../messages/site/message-form.web.tsx';
import { MessageList } from '../../messages/site/message-list.web.tsx';
import { LESSON_LENGTHS, type LessonMessage } from '../course-videos.contract.ts';

interface LessonMessagesProps {
  readonly messages: readonly Omit<LessonMessage, 'lesson_id'>[];
  /** What the reader's own side is called, and the other one. */
  readonly own: string;
  readonly other: string;
  /** The reader is of the agency. */
  readonly atConsole?: boolean;
  readonly label: string;
  readonly empty: string;
  /** Undefined for a reader who may not write. @throws Error with a sentence */
  readonly onSend: ((text: string) => Promise<void>) | undefined;
}

/** What both sides wrote about a lesson, and a field to write more. */
export function LessonMessages(props: LessonMessagesProps) {
  const { messages, own, other, atConsole = false, label, empty, onSend } = props;
  const entries = messages.map(({ created_at: sentAt, ...message }) => ({ ...message, sent_at: sentAt }));
  return (
    <section className="talk" aria-label="Messages">
      {entries.length === 0 ? (
        <p className="meta">{empty}</p>
      ) : (
        <MessageList entries={entries} own={own} other={other} atConsole={atConsole} />
      )}
      {onSend !== undefined && <MessageForm label={label} most={LESSON_LENGTHS.message} onSend={onSend} />}
    </section>
  );
}
