import { useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { compareNames } from '../../../kernel/contract/formats.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { ownTables } from '../../../ui/session/client.ts';
import type { FileRecord } from '../file-record.web.ts';

/** Longest tag, characters, as the database has it (`northline_app.file_tags`). */
const TAG_LENGTH = 40;

/** All tags of the files without duplicates, in alphabetical order. */
export function tagsOf(files: readonly FileRecord[]): string[] {
  const found = new Map(files.flatMap(({ tags }) => tags.map((tag) => [tag.toLowerCase(), tag] as const)));
  return [...found.values()].sort(compareNames);
}

/** Whether a file has the tag, in any letter case; every file matches an empty tag. */
export function hasTag(file: FileRecord, wanted: string): boolean {
  return wanted === '' || file.tags.some((tag) => tag.toLowerCase() === wanted.toLowerCase());
}

interface TagChoiceProps {
  readonly known: readonly string[];
  /** Empty for all files. */
  readonly tag: string;
  readonly onTag: (tag: string) => void;
}

/** The select box that limits both lists to the files of one tag; hidden while there are no tags. */
export function TagChoice({ known, tag, onTag }: TagChoiceProps) {
  if (known.length === 0 && tag === '') return null;
  return (
    <label className="filter file-order">
      Tag
      <select value={tag} onChange={({ currentTarget }) => onTag(currentTarget.value)}>
        <option value="">All</option>
        {(known.includes(tag) || tag === '' ? known : [...known, tag]).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** The tags of a row; each limits the lists to files with that tag. */
export function RowTags({ file, onTag }: { file: FileRecord; onTag: (tag: string) => void }) {
  if (file.tags.length === 0) return null;
  return (
    <span className="file-tags">
      {file.tags.map((tag) => (
        <button key={tag} type="button" aria-label={`Files tagged ${tag}`} onClick={() => onTag(tag)}>
          {tag}
        </button>
      ))}
    </span>
  );
}

interface TagDialogProps {
  readonly files: readonly FileRecord[];
  /** Tags of other files, to choose from while typing. */
  readonly known: readonly string[];
  readonly onClose: () => void;
}

/** Adds tags to the chosen files and removes them. */
export function TagDialog({ files, known, onClose }: TagDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const queries = useQueryClient();
  useEffect(() => dialog.current?.showModal(), []);
  async function change(tag: string, wanted: boolean): Promise<void> {
    setBusy(true);
    try {
      await tagFiles(files, tag, wanted);
      await queries.invalidateQueries({ queryKey: ['files'] });
      if (wanted && field.current !== null) field.current.value = '';
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      setBusy(false);
    }
  }
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const tag = field.current?.value.trim() ?? '';
    if (tag !== '' && !busy) void change(tag, true);
  };
  const [first] = files;
  return (
    <dialog ref={dialog} className="confirm" aria-labelledby="tags-title" onClose={onClose}>
      <h2 id="tags-title">Tags</h2>
      <p>
        <b>{files.length === 1 ? first?.file_name : `${files.length} files`}</b>
      </p>
      <ul className="file-tags" aria-label="Tags of the chosen files">
        {tagsOf(files).map((tag) => (
          <li key={tag}>
            {tag}
            <button
              type="button"
              aria-label={`Remove ${tag}`}
              disabled={busy}
              onClick={() => void change(tag, false)}
            >
              <X size={14} aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
      <form className="tag-form" onSubmit={add}>
        <label htmlFor="new-tag">New tag</label>
        <input
          ref={field}
          className="line-field"
          id="new-tag"
          list="known-tags"
          maxLength={TAG_LENGTH}
          autoComplete="off"
          spellCheck={false}
        />
        <datalist id="known-tags">
          {known.map((tag) => (
            <option key={tag} value={tag} />
          ))}
        </datalist>
        <Button type="submit" small look="quiet" busy={busy}>
          Add
        </Button>
      </form>
      <div className="confirm-acts">
        <Button onClick={() => dialog.current?.close()}>Done</Button>
      </div>
    </dialog>
  );
}

/**
 * @throws Error with the database's sentence, or that the tags could not be changed
 * @trigger northline_app.file_tags check_tags
 * @trigger northline_app.file_tags realtime_publish
 */
async function tagFiles(files: readonly FileRecord[], tag: string, wanted: boolean): Promise<void> {
  const { error, status } = await (await ownTables()).rpc('tag_files', {
    p_ids: files.map(({ id }) => id),
    p_tag: tag,
    p_wanted: wanted,
  });
  if (error === null) return;
  throw new Error(status === 400 ? error.message : 'The tags could not be changed. Please try again.', {
    cause: error,
  });
}
