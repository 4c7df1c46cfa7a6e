import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../../../ui/session/client.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import type { FileRecord } from '../../files/file-record.web.ts';
import { TEAM_FUNCTIONS, type TeamView } from '../team.contract.ts';

/** One's team; `team` is null for who is in none. */
export function teamQuery(userId: string) {
  return queryOptions({
    queryKey: ['team', userId],
    queryFn: async (): Promise<TeamView> =>
      (await (await callServer(TEAM_FUNCTIONS.read, { as: 'user' })).json()) as TeamView,
  });
}

/** A change of one's team; answers it as it is then. @throws CallRefused */
export async function changeTeam(
  name: Exclude<keyof typeof TEAM_FUNCTIONS, 'read'>,
  body: object,
): Promise<TeamView> {
  return (await (await callServer(TEAM_FUNCTIONS[name], { as: 'user', body })).json()) as TeamView;
}

/** A file that somebody of the team shows to the others. */
export interface TeamFile {
  readonly shared_by: string;
  readonly file: FileRecord;
}

/** What is shown to the team, newest first, one's own included. @throws Error */
export function teamFilesQuery(userId: string) {
  return queryOptions({
    queryKey: ['files', userId, 'team'],
    queryFn: async ({ signal }): Promise<TeamFile[]> => {
      const client = await supabase();
      const { data, error } = await client
        .from('team_files')
        .select('shared_by, file:user_files(*)')
        .order('shared_at', { ascending: false })
        .abortSignal(signal)
        .overrideTypes<TeamFile[], { merge: false }>();
      if (error !== null) throw new Error('The files of your team could not be loaded.', { cause: error });
      return data;
    },
  });
}

/** Shows own files to the team, or to nobody else any more. @throws Error */
export async function showToTeam(
  files: readonly FileRecord[],
  teamId: string,
  shown: boolean,
): Promise<void> {
  const client = await supabase();
  const ids = files.map(({ id }) => id);
  const rows = files.map(({ id, user_id: owner }) => ({ file_id: id, team_id: teamId, shared_by: owner }));
  const { error } = shown
    ? await client.from('team_files').upsert(rows, { onConflict: 'file_id', ignoreDuplicates: true })
    : await client.from('team_files').delete().in('file_id', ids);
  if (error !== null) throw new Error('What the team sees could not be changed.', { cause: error });
}
