import type { SupabaseClient } from '@supabase/supabase-js';
import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { OWN_SCHEMA, SERVICES } from '../../../kernel/contract/routes.ts';
import { ownTables, supabase } from '../../../ui/session/client.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import type { FileRecord } from '../../files/file-record.web.ts';
import {
  type EnquiryEntry,
  type Thread,
  type ThreadEntry,
  type ThreadFile,
  threadOf,
} from '../messages.contract.ts';

/** Realtime says what changed; should a word of it be lost, this asks again, ms. */
const REFRESH_MS = 60_000;

/** A row of `messages` with its files. */
type MessageRow = Omit<ThreadEntry, 'about' | 'files' | 'author'> & {
  readonly message_files: readonly ThreadFile[];
};

/** The newest `most` messages of the user's thread, with what was written as enquiries. @throws Error with a sentence */
export function threadQuery(userId: string, most: number) {
  return queryOptions({
    queryKey: ['messages', userId, 'thread', most],
    refetchInterval: REFRESH_MS,
    async queryFn(): Promise<Thread> {
      const client = await ownTables();
      const [messages, enquiries] = await Promise.all([
        client
          .from('messages')
          .select('id, from_agency, body, sent_at, read_at, message_files(id, file_id, file_name)')
          .eq('user_id', userId)
          .is('lesson_id', null)
          .order('sent_at', { ascending: false })
          .order('id')
          .limit(most + 1)
          .overrideTypes<MessageRow[], { merge: false }>(),
        client.rpc('enquiries_in_thread'),
      ]);
      const cause = messages.error ?? enquiries.error;
      if (messages.data === null || cause !== null)
        throw new Error('Your messages could not be loaded.', { cause });
      const entries = messages.data.map(
        ({ message_files: files, ...row }): ThreadEntry => ({ ...row, files, about: null }),
      );
      return threadOf(entries, enquiries.data as EnquiryEntry[], most);
    },
  });
}

/** How many messages of the agency the user has not read. */
export function unreadQuery(userId: string) {
  return queryOptions({
    queryKey: ['messages', userId, 'unread'],
    refetchInterval: REFRESH_MS,
    async queryFn(): Promise<number> {
      const { count, error } = await (await ownTables())
        .from('messages')
        .select('id', { count: 'exact', head: true })
        .eq('user_id', userId)
        .is('lesson_id', null)
        .is('from_agency', true)
        .is('read_at', null);
      if (error !== null) throw error;
      return count ?? 0;
    },
  });
}

/** Asks again for everything about messages. */
export const refreshMessages = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['messages'] });

/** Writes to the agency. @throws CallRefused with the server's sentence */
export async function sendMessage(text: string, files: readonly string[]): Promise<void> {
  await callServer(`${SERVICES.functions}/send-message`, { as: 'user', body: { text, files } });
}

/** Marks messages of the agency as read. @throws the service's error */
export async function markRead(ids: readonly string[]): Promise<void> {
  const { error } = await (await ownTables()).rpc('read_messages', { p_ids: ids });
  if (error !== null) throw error;
}

/** Takes a file out of a message: the agency can open it no more. @throws Error with a sentence */
export async function withdrawFile({ id }: ThreadFile): Promise<void> {
  const { error } = await (await ownTables()).from('message_files').update({ file_id: null }).eq('id', id);
  if (error !== null) throw new Error('The file could not be removed from the message.', { cause: error });
}

/** The user's file that is attached; undefined when it is not there any more. @throws Error with a sentence */
export async function attachedFile({ file_id: id }: ThreadFile): Promise<FileRecord | undefined> {
  const { data, error } = await (await ownTables())
    .from('files')
    .select('*')
    .eq('id', id ?? '')
    .is('deleted_at', null)
    .limit(1)
    .overrideTypes<FileRecord[], { merge: false }>();
  if (error !== null) throw new Error('The file could not be loaded.', { cause: error });
  return data[0];
}

let topics = 0;

/** Asks again for the thread and its count as soon as a message comes or is read. */
export function useMessageChanges(userId: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    let stopped = false;
    let close = (): void => undefined;
    supabase().then(
      (client) => {
        if (!stopped) close = follow(client, queries, userId);
      },
      // Without the client nothing of the page works, which it says itself.
      () => undefined,
    );
    return () => {
      stopped = true;
      close();
    };
  }, [queries, userId]);
}

function follow(client: SupabaseClient, queries: QueryClient, userId: string): () => void {
  topics += 1;
  const ask = (): void => void refreshMessages(queries);
  const own = { event: '*', schema: OWN_SCHEMA, table: 'messages', filter: `user_id=eq.${userId}` } as const;
  const channel = client
    .channel(`messages-${topics}`)
    .on('postgres_changes', own, ask)
    .subscribe((status) => {
      // No event announced messages from before, or from while the connection was lost.
      if (status === 'SUBSCRIBED') ask();
    });
  return () => void client.removeChannel(channel);
}
