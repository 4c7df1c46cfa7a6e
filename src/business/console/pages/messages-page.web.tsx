import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import { Avatar } from '../../../ui/people/avatar.tsx';
import { useAvatar } from '../../../ui/people/avatars.ts';
import {
  type ConsoleThread,
  type ConsoleThreadPage,
  type ConsoleThreadRow,
  MESSAGE_LIMITS,
  THREAD_PAGE,
  type ThreadFile,
  type ThreadList,
  unreadIn,
} from '../../messages/messages.contract.ts';
import { MessageForm } from '../../messages/site/message-form.web.tsx';
import { useReading } from '../../messages/site/read-marking.web.ts';
import { ThreadView } from '../../messages/site/thread-view.web.tsx';
import { useConsoleList } from '../parts/console-list.web.ts';
import { ConsoleListView, ConsolePanel, OpenRows } from '../parts/console-list-page.web.tsx';
import { Choice, PageHead } from '../parts/console-parts.web.tsx';
import { May, useMay } from '../parts/console-role.web.tsx';
import { operatorQuery, postAsOperator } from '../parts/operator-client.web.ts';
import { shortTime } from '../parts/time-words.web.ts';

const LISTS: readonly (readonly [ThreadList, string])[] = [
  ['all', 'All'],
  ['waiting', 'Waiting for an answer'],
];

/** The console's Messages page: the threads of all customers; the address of a customer opens an empty one too. */
export function MessagesView() {
  const list = useConsoleList<ConsoleThreadPage, { list: ThreadList }>('threads', {
    filters: { list: 'all' },
    address: PAGES.operatorMessages.path,
  });
  return (
    <>
      <PageHead heading="Messages" about="What customers wrote, unread first." />
      <ConsoleListView
        list={list}
        searchLabel="Search messages"
        filters={
          <Choice
            label="Show"
            value={list.filters.list}
            options={LISTS}
            onChoose={(name) => list.choose({ list: name })}
          />
        }
        empty="There are no messages here."
        hint="Choose a thread to read it and to answer. A first message is written from the customer’s page."
        rows={(rows) => <OpenRows list={list} rows={rows.map(wordsOf)} />}
        panel={(id, onBack) => <ThreadPanel id={id} onBack={onBack} />}
      />
    </>
  );
}

const wordsOf = (row: ConsoleThreadRow) => ({
  id: row.user_id,
  name: row.full_name || row.email || row.user_id,
  about: row.last_words,
  state: stateOf(row),
  note: shortTime(row.last_at),
});

function stateOf({ unread, answered }: ConsoleThreadRow): string {
  if (unread > 0) return `${unread} unread`;
  return answered ? 'Answered' : 'Waits for an answer';
}

function ThreadPanel({ id, onBack }: { id: string; onBack: () => void }) {
  const queries = useQueryClient();
  const [most, setMost] = useState(THREAD_PAGE);
  const query = useQuery({
    ...operatorQuery<ConsoleThread>('thread', { user_id: id, most: String(most) }),
    placeholderData: keepPreviousData,
  });
  const picture = useAvatar(id);
  // What a reader looks at stays unread for the others.
  const marks = useMay('read-thread');
  useReading(marks ? unreadIn(query.data?.entries ?? [], 'agency') : [], async (ids) => {
    await postAsOperator(queries, 'read-thread', { user_id: id, ids });
  });
  return (
    <ConsolePanel label="Thread" onBack={onBack}>
      <Loaded query={query}>
        {(thread) => (
          <>
            <Name of={thread.customer} />
            <p className="meta">{thread.customer.email}</p>
            <section className="talk" aria-label="Messages">
              {thread.entries.length === 0 ? (
                <p className="meta">Nothing was written yet. What you write is mailed to the customer.</p>
              ) : (
                <ThreadView
                  thread={thread}
                  other={thread.customer.full_name || thread.customer.email || 'The customer'}
                  face={
                    <Avatar src={picture} name={thread.customer.full_name || thread.customer.email || ''} />
                  }
                  atConsole
                  fileActs={(file) => <CustomerFile file={file} />}
                  most={most}
                  onMost={setMost}
                />
              )}
              <May call="send-message">
                <MessageForm
                  label="Answer"
                  most={MESSAGE_LIMITS.text}
                  isMain
                  onSend={async (text) => {
                    await postAsOperator(queries, 'send-message', { user_id: id, text });
                  }}
                />
              </May>
            </section>
          </>
        )}
      </Loaded>
    </ConsolePanel>
  );
}

function Name({ of: { full_name: name, email } }: { of: ConsoleThread['customer'] }) {
  const words = name || email || 'A customer';
  return (
    <h2 className="cut-heading" title={words}>
      {words}
    </h2>
  );
}

/** A file of the customer. Its address works for one minute, and the audit records who opened it. */
function CustomerFile({ file }: { file: ThreadFile }) {
  const queries = useQueryClient();
  const open = async (): Promise<void> => {
    try {
      const { url } = await postAsOperator<{ url: string }>(queries, 'message-file', { id: file.id });
      const link = document.createElement('a');
      link.href = `${url}&download=${encodeURIComponent(file.file_name)}`;
      link.download = file.file_name;
      link.click();
    } catch (error) {
      toast.error((error as Error).message);
    }
  };
  return (
    <button
      type="button"
      className="text-btn"
      aria-label={`Download ${file.file_name}`}
      onClick={() => void open()}
    >
      {file.file_name}
    </button>
  );
}
