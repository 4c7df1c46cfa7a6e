import { queryOptions } from '@tanstack/react-query';
import { ownTables } from '../../../ui/session/client.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import type { FileRecord } from '../../files/file-record.web.ts';
import {
  INVITATION_FRAGMENT,
  type InvitationView,
  TEAM_FUNCTIONS,
  type TeamMember,
  type TeamRole,
  type TeamView,
} from '../team.contract.ts';

const PAGE = 1000;
/** Files that one request shows or hides: their ids are in its address. */
const AT_ONCE = 100;

/** The user's team; `team` is null for a user without one. */
export function teamQuery(userId: string) {
  return queryOptions({
    queryKey: ['team', userId],
    queryFn: async (): Promise<TeamView> =>
      (await (await callServer(TEAM_FUNCTIONS.read, { as: 'user' })).json()) as TeamView,
  });
}

/** The secret of the invitation in an address such as `/dashboard/account#invitation=…`; else empty. */
export function invitationOf(address: string): string {
  const fragment = address.slice(address.indexOf('#') + 1);
  return fragment.startsWith(INVITATION_FRAGMENT) ? fragment.slice(INVITATION_FRAGMENT.length) : '';
}

/** What the invitation with this secret is about. @throws CallRefused 404 when it no longer counts */
export async function readInvitation(token: string): Promise<InvitationView> {
  return (await (await callServer(TEAM_FUNCTIONS.look, { as: 'visitor', body: { token } })).json()) as InvitationView;
}

/** A role after the words 'invites you as'. */
export const ROLE_WORDS: Readonly<Record<TeamRole, string>> = {
  owner: 'an owner',
  member: 'a member',
  billing: 'the person who pays',
};

/** The name of a member. */
export function nameOf(members: readonly TeamMember[], id: string): string {
  const member = members.find(({ user_id: userId }) => userId === id);
  return member?.name || member?.email || 'A member';
}

/** Changes the user's team; returns the team after the change. @throws CallRefused */
export async function changeTeam(
  name: Exclude<keyof typeof TEAM_FUNCTIONS, 'read' | 'look'>,
  body: object,
): Promise<TeamView> {
  return (await (await callServer(TEAM_FUNCTIONS[name], { as: 'user', body })).json()) as TeamView;
}

/** A file that a member shows to the team. */
export interface TeamFile {
  readonly shared_by: string;
  readonly file: FileRecord;
}

/** The files shown to the team, newest first, including the user's own. @throws Error */
export function teamFilesQuery(userId: string) {
  return queryOptions({
    queryKey: ['files', userId, 'team'],
    queryFn: async ({ signal }): Promise<TeamFile[]> => {
      const files: TeamFile[] = [];
      // The data service returns at most a thousand rows; a page that is not full is the last one.
      for (;;) {
        const page = await readPage(files.length, signal);
        files.push(...page);
        if (page.length < PAGE) return [...new Map(files.map((each) => [each.file.id, each])).values()];
      }
    },
  });
}

async function readPage(from: number, signal: AbortSignal): Promise<TeamFile[]> {
  const { data, error } = await (await ownTables())
    .from('team_files')
    .select('shared_by, file:files!inner(*)')
    .order('shared_at', { ascending: false })
    .order('file_id')
    .range(from, from + PAGE - 1)
    .abortSignal(signal)
    .overrideTypes<TeamFile[], { merge: false }>();
  if (error !== null) throw new Error('The files of your team could not be loaded.', { cause: error });
  return data;
}

/** Shows own files to the team, or stops showing them, a hundred at a time. @throws Error */
export async function showToTeam(
  files: readonly FileRecord[],
  teamId: string,
  shown: boolean,
): Promise<void> {
  const client = await ownTables();
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE);
    const rows = some.map(({ id, user_id: owner }) => ({ file_id: id, team_id: teamId, shared_by: owner }));
    const { error } = shown
      ? await client.from('team_files').upsert(rows, { onConflict: 'file_id', ignoreDuplicates: true })
      : await client
          .from('team_files')
          .delete()
          .in(
            'file_id',
            some.map(({ id }) => id),
          );
    if (error !== null) throw new Error('What the team sees could not be changed.', { cause: error });
  }
}
