import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import type { FileRecord } from '../file-record.web.ts';
import { announce } from '../list/announcer.web.tsx';
import { analyzeFile } from './file-analysis.web.ts';
import { deleteFile } from './file-deletion.web.ts';
import { downloadFile } from './file-download.web.ts';

type Action = 'download' | 'analyze' | 'delete';

/** What can be done with a file, and which of it is going on. */
export interface FileActions {
  isBusy(file: FileRecord, action: Action): boolean;
  download(file: FileRecord): void;
  analyze(file: FileRecord): void;
  remove(file: FileRecord): void;
}

/** The actions of the two lists; pressing a control twice does its work once. */
export function useFileActions(): FileActions {
  const queries = useQueryClient();
  const started = useRef(new Set<string>());
  const [, redraw] = useState(0);
  const act = useCallback(
    async (file: FileRecord, action: Action, work: () => Promise<void>): Promise<void> => {
      const key = `${action} ${file.id}`;
      if (started.current.has(key)) return;
      started.current.add(key);
      redraw((count) => count + 1);
      try {
        await work();
      } catch (error) {
        toast.error(error instanceof Error ? error.message : String(error));
      } finally {
        started.current.delete(key);
        redraw((count) => count + 1);
      }
    },
    [],
  );
  return {
    isBusy: (file, action) => started.current.has(`${action} ${file.id}`),
    download: (file) => void act(file, 'download', () => downloadFile(file)),
    analyze: (file) => void act(file, 'analyze', () => analyze(queries, file)),
    remove: (file) => void act(file, 'delete', () => remove(queries, file)),
  };
}

async function analyze(queries: QueryClient, file: FileRecord): Promise<void> {
  announce(`Analyzing ${file.file_name}`);
  try {
    await analyzeFile(file);
    toast.success(MESSAGES.analysis.started);
  } finally {
    // Also after a failure: the record of a missing object is gone.
    await queries.invalidateQueries({ queryKey: ['files'] });
  }
}

/** The row fades while the server works; it leaves at once when that is done and comes back when it fails. */
async function remove(queries: QueryClient, file: FileRecord): Promise<void> {
  const key = ['files', file.user_id];
  const list = queries.getQueryData<FileRecord[]>(key);
  if (list?.some(({ id }) => id === file.id) !== true) throw new Error(MESSAGES.delete.notInList);
  try {
    await deleteFile(file);
    await queries.cancelQueries({ queryKey: key });
    queries.setQueryData<FileRecord[]>(key, (files) => files?.filter(({ id }) => id !== file.id));
    toast.success(MESSAGES.delete.done);
    announce(`${file.file_name} deleted`);
  } finally {
    void queries.invalidateQueries({ queryKey: ['files'] });
  }
}
