import { type ComponentType, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Button } from '../../../ui/parts/button.tsx';
import type { FileActions } from '../actions/file-actions.web.ts';
import { downloadTogether } from '../actions/files-archive.web.ts';
import { type FileRecord, isBeingAnalyzed, mayBeAnalyzed } from '../file-record.web.ts';
import { TagDialog } from './file-tags.web.tsx';

/** The chosen files among those that exist. */
export interface FileChoice {
  readonly files: readonly FileRecord[];
  has(file: FileRecord): boolean;
  choose(file: FileRecord, chosen: boolean): void;
  chooseAll(files: readonly FileRecord[]): void;
  clear(): void;
}

/** Tracks which files are chosen; a file that no longer exists is no longer chosen. */
export function useFileChoice(files: readonly FileRecord[]): FileChoice {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return {
    files: files.filter(({ id }) => ids.has(id)),
    has: ({ id }) => ids.has(id),
    choose: ({ id }, chosen) =>
      setIds((before) => {
        const after = new Set(before);
        if (chosen) after.add(id);
        else after.delete(id);
        return after;
      }),
    chooseAll: (all) => setIds(new Set(all.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  };
}

interface SelectionBarProps {
  readonly choice: FileChoice;
  /** Every file that passes the filter, including those not on the page yet. */
  readonly shown: readonly FileRecord[];
  /** All tags of the customer's files. */
  readonly known: readonly string[];
  readonly actions: FileActions;
  readonly onDelete: (files: readonly FileRecord[]) => void;
  readonly Choice: ComponentType<{ files: readonly FileRecord[] }>;
}

const waitsForAnalysis = (file: FileRecord): boolean =>
  !file.analyzed && mayBeAnalyzed(file) && !isBeingAnalyzed(file);

/** Actions on all chosen files at once; hidden while none is chosen. */
export function SelectionBar({ choice, shown, known, actions, onDelete, Choice }: SelectionBarProps) {
  const [tagging, setTagging] = useState(false);
  const [busy, setBusy] = useState<string>();
  const { files } = choice;
  if (files.length === 0 && busy === undefined) return null;
  const open = files.filter(waitsForAnalysis);
  async function run(words: string, work: () => Promise<void>): Promise<void> {
    setBusy(words);
    try {
      await work();
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      setBusy(undefined);
    }
  }
  const download = () =>
    run('Collecting the files…', () =>
      downloadTogether(files, (count) => setBusy(`Collecting the files: ${count} of ${files.length}`)),
    );
  return (
    <section className="panel selection" aria-label="Chosen files">
      <p role="status">{busy ?? `${files.length} chosen`}</p>
      <div className="acts">
        {open.length > 0 && (
          <Button
            small
            look="quiet"
            busy={busy !== undefined}
            onClick={() =>
              void run('Starting the analyses…', () => actions.analyzeAll(open).then(choice.clear))
            }
          >
            Analyze {open.length}
          </Button>
        )}
        <Button small look="quiet" busy={busy !== undefined} onClick={() => void download()}>
          Download as zip
        </Button>
        <Button small look="quiet" busy={busy !== undefined} onClick={() => setTagging(true)}>
          Tags
        </Button>
        <Choice files={files} />
        <Button small look="quiet" busy={busy !== undefined} onClick={() => onDelete(files)}>
          Delete {files.length}
        </Button>
        {files.length < shown.length && (
          <button type="button" className="text-btn" onClick={() => choice.chooseAll(shown)}>
            Choose all {shown.length}
          </button>
        )}
        <button type="button" className="text-btn" onClick={choice.clear}>
          Choose none
        </button>
      </div>
      {tagging && <TagDialog files={files} known={known} onClose={() => setTagging(false)} />}
    </section>
  );
}
