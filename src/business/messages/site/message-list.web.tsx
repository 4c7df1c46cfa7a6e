import type { ReactNode } from 'react';
import { formatDay } from '../../../kernel/contract/dates.ts';

/** What the list shows of an entry. */
interface Entry {
  readonly id: string;
  readonly from_agency: boolean;
  readonly body: string;
  /** ISO 8601. */
  readonly sent_at: string;
}

interface MessageListProps<Shown extends Entry> {
  /** Oldest first. */
  readonly entries: readonly Shown[];
  /** What the reader's own side is called, and the other one. */
  readonly own: string;
  readonly other: string;
  /** The customer's picture, before each of their lines. */
  readonly face?: ReactNode;
  /** The reader is of the agency. */
  readonly atConsole?: boolean;
  /** Said before the day of an entry; nothing when left out. */
  readonly about?: (entry: Shown) => string | null;
  /** Shown under the words of an entry. */
  readonly below?: (entry: Shown) => ReactNode;
}

/** What two sides wrote to each other; one's own stand to the right. */
export function MessageList<Shown extends Entry>(props: MessageListProps<Shown>) {
  const { entries, own, other, face, atConsole = false, about, below } = props;
  return (
    <ol>
      {entries.map((entry) => {
        const isOwn = entry.from_agency === atConsole;
        const subject = about?.(entry) ?? null;
        return (
          <li key={entry.id} data-own={isOwn || undefined}>
            <span className="meta num">
              {!entry.from_agency && face}
              {isOwn ? own : other}
              {subject === null ? '' : ` · ${subject}`} ·{' '}
              <time dateTime={entry.sent_at}>{formatDay(new Date(entry.sent_at))}</time>
            </span>
            {entry.body !== '' && <p>{entry.body}</p>}
            {below?.(entry)}
          </li>
        );
      })}
    </ol>
  );
}
