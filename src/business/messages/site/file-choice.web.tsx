import { useQuery } from '@tanstack/react-query';
import { Paperclip } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import type { FileRecord } from '../../files/file-record.web.ts';
import { filesQuery } from '../../files/list/file-query.web.ts';
import { MESSAGE_LIMITS } from '../messages.contract.ts';

/** Files that are offered at a time; words find the others. */
const SHOWN = 30;

interface FileChoiceProps {
  readonly userId: string;
  readonly chosen: readonly FileRecord[];
  readonly onChoose: (files: readonly FileRecord[]) => void;
}

/** The files that go along with a message, and a list of one's own to choose them from. */
export function FileChoice({ userId, chosen, onChoose }: FileChoiceProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const part = useRef<HTMLDivElement>(null);
  const isFull = chosen.length >= MESSAGE_LIMITS.files;
  // The pressed button is gone then, so the focus moves to the button that opens the list.
  const focusButton = (): void => part.current?.querySelector<HTMLElement>('[aria-expanded]')?.focus();
  const remove = (file: FileRecord): void => {
    onChoose(chosen.filter(({ id: one }) => one !== file.id));
    focusButton();
  };
  const add = (file: FileRecord): void => {
    onChoose([...chosen, file]);
    if (chosen.length + 1 >= MESSAGE_LIMITS.files) focusButton();
  };
  return (
    <div className="talk-attach" ref={part}>
      {chosen.length > 0 && (
        <ul className="talk-files" aria-label="Attached files">
          {chosen.map((file) => (
            <li key={file.id}>
              {file.file_name}
              <button
                type="button"
                className="text-btn"
                aria-label={`Do not attach ${file.file_name}`}
                onClick={() => remove(file)}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      <Button
        small
        look="quiet"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen((before) => !before)}
      >
        <Paperclip size={18} aria-hidden="true" />
        Attach a file
      </Button>
      <div id={id} className="talk-choice" hidden={!open}>
        {open && isFull && <p className="meta">A message takes {MESSAGE_LIMITS.files} files at most.</p>}
        {open && !isFull && <Offered userId={userId} chosen={chosen} onChoose={add} />}
      </div>
    </div>
  );
}

interface OfferedProps extends Pick<FileChoiceProps, 'userId' | 'chosen'> {
  readonly onChoose: (file: FileRecord) => void;
}

function Offered({ userId, chosen, onChoose }: OfferedProps) {
  const files = useQuery(filesQuery(userId));
  const [wanted, setWanted] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  if (files.data === undefined)
    return <p className="meta">{files.error === null ? 'One moment…' : files.error.message}</p>;
  const words = wanted.trim().toLowerCase();
  const found = files.data.filter(
    (file) => file.file_name.toLowerCase().includes(words) && !chosen.some((one) => one.id === file.id),
  );
  return (
    <>
      <div className="field">
        <label htmlFor={id}>Find a file of yours</label>
        <input
          ref={field}
          id={id}
          type="search"
          value={wanted}
          onChange={({ currentTarget }) => setWanted(currentTarget.value)}
          // The field is in the form of the message, which it would send.
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
      </div>
      {found.length === 0 ? (
        <p className="meta">Nothing was found among your files.</p>
      ) : (
        <ul aria-label="Files to attach">
          {found.slice(0, SHOWN).map((file) => (
            <li key={file.id}>
              <button
                type="button"
                onClick={() => {
                  field.current?.focus();
                  onChoose(file);
                }}
              >
                {file.file_name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
