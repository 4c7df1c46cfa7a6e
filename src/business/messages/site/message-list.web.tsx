import type { ReactNode } from 'react';
import { formatDayName, formatTime } from '../../../kernel/contract/dates.ts';
import { site } from '../../../ui/brand.ts';
import { Avatar } from '../../../ui/people/avatar.tsx';

/** What the list shows of an entry. */
interface Entry {
  readonly id: string;
  readonly from_agency: boolean;
  readonly body: string;
  /** ISO 8601. */
  readonly sent_at: string;
  /** Who of the agency wrote it, where that is known. */
  readonly author?: string | null;
}

interface MessageListProps<Shown extends Entry> {
  /** Oldest first. */
  readonly entries: readonly Shown[];
  /** What the reader's own side is called, and the other one. */
  readonly own: string;
  readonly other: string;
  /** The customer's picture; without it, no entry has one. */
  readonly face?: ReactNode;
  /** The reader is of the agency. */
  readonly atConsole?: boolean;
  /** Said before the day of an entry; nothing when left out. */
  readonly about?: (entry: Shown) => string | null;
  /** Shown under the words of an entry. */
  readonly below?: (entry: Shown) => ReactNode;
}

/** What two sides wrote to each other, day by day; one's own stand to the right. */
export function MessageList<Shown extends Entry>(props: MessageListProps<Shown>) {
  const { entries, own, other, face, atConsole = false, about, below } = props;
  return (
    <ol>
      {entries.map((entry, place) => {
        const at = new Date(entry.sent_at);
        const day = at.toDateString();
        const before = entries[place - 1]?.sent_at ?? '';
        const isOwn = entry.from_agency === atConsole;
        const subject = about?.(entry) ?? null;
        return (
          <li key={entry.id} data-own={isOwn || undefined}>
            {new Date(before).toDateString() !== day && (
              <time className="talk-day meta" dateTime={entry.sent_at}>
                {formatDayName(at)}
              </time>
            )}
            {face !== undefined &&
              (entry.from_agency ? <Avatar src={undefined} name={entry.author ?? site.brand} /> : face)}
            <div>
              <span className="meta num">
                <b>{isOwn ? own : other}</b>
                {subject === null ? '' : ` · ${subject}`} ·{' '}
                <time dateTime={entry.sent_at}>{formatTime(at)}</time>
              </span>
              {entry.body !== '' && <p>{entry.body}</p>}
              {below?.(entry)}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
