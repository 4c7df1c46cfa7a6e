import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { site } from '../../../ui/brand.ts';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import { Avatar } from '../../../ui/people/avatar.tsx';
import { useAvatar } from '../../../ui/people/avatars.ts';
import { downloadFile } from '../../files/actions/file-download.web.ts';
import type { FileRecord } from '../../files/file-record.web.ts';
import { MESSAGE_LIMITS, THREAD_PAGE, type ThreadFile, unreadIn } from '../messages.contract.ts';
import { FileChoice } from './file-choice.web.tsx';
import { MessageForm } from './message-form.web.tsx';
import {
  attachedFile,
  markRead,
  refreshMessages,
  sendMessage,
  threadQuery,
  withdrawFile,
} from './message-read.web.ts';
import { useReading } from './read-marking.web.ts';
import { ThreadView } from './thread-view.web.tsx';

/** The Messages tab: what the user and the agency wrote to each other, and a field to write more. */
export function MessagesTab({ userId, name }: { userId: string; name: string }) {
  const queries = useQueryClient();
  const picture = useAvatar(userId);
  const [most, setMost] = useState(THREAD_PAGE);
  const [files, setFiles] = useState<readonly FileRecord[]>([]);
  const thread = useQuery({ ...threadQuery(userId, most), placeholderData: keepPreviousData });
  useReading(unreadIn(thread.data?.entries ?? [], 'customer'), async (ids) => {
    await markRead(ids);
    await refreshMessages(queries);
  });
  const send = async (text: string): Promise<void> => {
    await sendMessage(
      text,
      files.map(({ id }) => id),
    );
    setFiles([]);
    await refreshMessages(queries);
  };
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Messages</h1>
          <p className="meta">Between you and {site.brand}.</p>
        </div>
      </div>
      <section className="panel pad talk talk-page" aria-label="Messages">
        <Loaded query={thread}>
          {(data) =>
            data.entries.length === 0 ? (
              <p className="meta">
                Nothing was written yet. Ask us anything: what you write reaches us by mail as well.
              </p>
            ) : (
              <ThreadView
                thread={data}
                other={site.brand}
                face={<Avatar src={picture} name={name} />}
                fileActs={(file) => <OwnFile file={file} />}
                most={most}
                onMost={setMost}
              />
            )
          }
        </Loaded>
        <MessageForm label={`Message to ${site.brand}`} most={MESSAGE_LIMITS.text} isMain onSend={send}>
          <FileChoice userId={userId} chosen={files} onChoose={setFiles} />
        </MessageForm>
      </section>
    </>
  );
}

/** A file of the user in a message: saved again, or taken out of it. */
function OwnFile({ file }: { file: ThreadFile }) {
  const queries = useQueryClient();
  const run = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      toast.error((error as Error).message);
    }
  };
  const save = async (): Promise<void> => {
    const found = await attachedFile(file);
    if (found !== undefined) await downloadFile(found);
    else await refreshMessages(queries);
  };
  const withdraw = async (): Promise<void> => {
    await withdrawFile(file);
    toast.success(`${site.brand} can no longer open ${file.file_name}`);
    await refreshMessages(queries);
  };
  return (
    <>
      <button
        type="button"
        className="text-btn"
        aria-label={`Download ${file.file_name}`}
        onClick={() => void run(save)}
      >
        {file.file_name}
      </button>
      <button
        type="button"
        className="text-btn meta"
        aria-label={`Withdraw ${file.file_name}`}
        onClick={() => void run(withdraw)}
      >
        Withdraw
      </button>
    </>
  );
}
