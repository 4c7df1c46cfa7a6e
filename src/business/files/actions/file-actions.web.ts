import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import type { FileRecord } from '../file-record.web.ts';
import { announce } from '../list/announcer.web.tsx';
import { analyzeFile } from './file-analysis.web.ts';
import { deleteFile } from './file-deletion.web.ts';
import { downloadFile } from './file-download.web.ts';

/** Requests of a batch that run at once. */
const AT_ONCE = 4;

type Action = 'download' | 'analyze' | 'delete';

/** The actions on a file, and which of them are running. */
export interface FileActions {
  isBusy(file: FileRecord, action: Action): boolean;
  download(file: FileRecord): void;
  analyze(file: FileRecord): void;
  remove(file: FileRecord): void;
  /** Analyses many files: a few at a time, with one message for all. */
  analyzeAll(files: readonly FileRecord[]): Promise<void>;
  removeAll(files: readonly FileRecord[]): Promise<void>;
}

/** The actions of both lists; pressing a control twice does its work once. */
export function useFileActions(): FileActions {
  const queries = useQueryClient();
  const started = useRef(new Set<string>());
  const [, redraw] = useState(0);
  const act = useCallback(
    async (file: FileRecord, action: Action, work: () => Promise<void>): Promise<boolean> => {
      const key = `${action} ${file.id}`;
      if (started.current.has(key)) return false;
      started.current.add(key);
      redraw((count) => count + 1);
      try {
        await work();
        return true;
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error);
        // Files that fail for the same reason share one message.
        toast.error(words, { id: words });
        return false;
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
    async analyzeAll(files) {
      announce(`Analyzing ${files.length} files`);
      const done = await eachOf(files, (file) => act(file, 'analyze', () => analyzeFile(file)));
      if (done > 0)
        toast.success(done === 1 ? MESSAGES.analysis.started : MESSAGES.analysis.startedMany(done));
      await queries.invalidateQueries({ queryKey: ['files'] });
    },
    async removeAll(files) {
      const done = await eachOf(files, (file) => act(file, 'delete', () => removeFromList(queries, file)));
      if (done > 0) {
        const words = done === 1 ? MESSAGES.delete.done : MESSAGES.delete.doneMany(done);
        toast.success(words);
        announce(words);
      }
      await queries.invalidateQueries({ queryKey: ['files'] });
    },
  };
}

async function analyze(queries: QueryClient, file: FileRecord): Promise<void> {
  announce(`Analyzing ${file.file_name}`);
  try {
    await analyzeFile(file);
    toast.success(MESSAGES.analysis.started);
  } finally {
    // Also after a failure, because the server deletes the record of a missing object.
    await queries.invalidateQueries({ queryKey: ['files'] });
  }
}

/** For how many of the files the work succeeded; four run at a time. */
async function eachOf(
  files: readonly FileRecord[],
  work: (file: FileRecord) => Promise<boolean>,
): Promise<number> {
  const waiting = [...files];
  let done = 0;
  const next = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      if (await work(file)) done += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return done;
}

async function remove(queries: QueryClient, file: FileRecord): Promise<void> {
  try {
    await removeFromList(queries, file);
    toast.success(MESSAGES.delete.done);
    announce(`${file.file_name} deleted`);
  } finally {
    void queries.invalidateQueries({ queryKey: ['files'] });
  }
}

/**
 * The row fades while the server works. It disappears when the server is done, and comes back after a
 * failure.
 */
async function removeFromList(queries: QueryClient, file: FileRecord): Promise<void> {
  const key = ['files', file.user_id];
  const list = queries.getQueryData<FileRecord[]>(key);
  if (list?.some(({ id }) => id === file.id) !== true) throw new Error(MESSAGES.delete.notInList);
  await deleteFile(file);
  await queries.cancelQueries({ queryKey: key });
  queries.setQueryData<FileRecord[]>(key, (files) => files?.filter(({ id }) => id !== file.id));
}
