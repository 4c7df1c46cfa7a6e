import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import {
  MOST_OF_A_THREAD,
  THREAD_PAGE,
  type Thread,
  type ThreadEntry,
  type ThreadFile,
} from '../messages.contract.ts';
import { MessageList } from './message-list.web.tsx';

interface ThreadViewProps {
  readonly thread: Thread;
  /** What the other side is called. */
  readonly other: string;
  /** The customer's picture. */
  readonly face: ReactNode;
  readonly atConsole?: boolean;
  /** What can be done with a file that is attached. */
  readonly fileActs: (file: ThreadFile) => ReactNode;
  /** How many messages were asked for. */
  readonly most: number;
  readonly onMost: (most: number) => void;
}

/** A thread in a part of the page that scrolls by itself and begins at its end. */
export function ThreadView(props: ThreadViewProps) {
  const { thread, other, face, atConsole = false, fileActs, most, onMost } = props;
  const { entries, hasEarlier } = thread;
  const scroll = useRef<HTMLDivElement>(null);
  const last = entries.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last entry is what is shown
  useEffect(() => {
    if (scroll.current !== null) scroll.current.scrollTop = scroll.current.scrollHeight;
  }, [last]);
  return (
    // Scrolls by itself, so it has to be reachable with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls
    <div className="talk-scroll" role="log" aria-label="Thread" tabIndex={0} ref={scroll}>
      {hasEarlier && most < MOST_OF_A_THREAD && (
        <Button small look="quiet" onClick={() => onMost(Math.min(most + THREAD_PAGE, MOST_OF_A_THREAD))}>
          Earlier messages
        </Button>
      )}
      {hasEarlier && most >= MOST_OF_A_THREAD && (
        <p className="meta">Only the newest {MOST_OF_A_THREAD} are shown here.</p>
      )}
      <MessageList
        entries={entries}
        own={atConsole ? 'We' : 'You'}
        other={other}
        face={face}
        atConsole={atConsole}
        about={aboutOf}
        below={({ files }) => <Files files={files} fileActs={fileActs} />}
      />
    </div>
  );
}

/** What an enquiry was about, or who of the agency wrote. */
function aboutOf({ about, author }: ThreadEntry): string | null {
  if (about !== null) return `Enquiry: ${about}`;
  return author ?? null;
}

function Files({ files, fileActs }: Pick<ThreadViewProps, 'fileActs'> & Pick<ThreadEntry, 'files'>) {
  if (files.length === 0) return null;
  return (
    <ul className="talk-files">
      {files.map((file) => (
        <li key={file.id}>
          {file.file_id === null ? (
            <span className="meta">{file.file_name}, no longer attached</span>
          ) : (
            fileActs(file)
          )}
        </li>
      ))}
    </ul>
  );
}
