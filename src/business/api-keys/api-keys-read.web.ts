import { queryOptions } from '@tanstack/react-query';
import { callServer } from '../../ui/session/server-call.ts';
import { API_KEY_FUNCTIONS, type ApiKey, type ApiKeyList, type CreatedApiKey } from './api-key.contract.ts';

/** The user's API keys, and the rights that a new one may have. */
export function apiKeysQuery(userId: string) {
  return queryOptions({
    queryKey: ['api-keys', userId],
    queryFn: async ({ signal }): Promise<ApiKeyList> =>
      (await (await callServer(API_KEY_FUNCTIONS.list, { as: 'user', signal })).json()) as ApiKeyList,
  });
}

/** Makes a key; the answer is the only one that has it. @throws CallRefused */
export async function createApiKey(wanted: {
  name: string;
  rights: readonly string[];
  days: number;
}): Promise<CreatedApiKey> {
  const reply = await callServer(API_KEY_FUNCTIONS.create, { as: 'user', body: wanted });
  return (await reply.json()) as CreatedApiKey;
}

/** Revokes a key of the user. @throws CallRefused */
export async function endApiKey(id: string): Promise<void> {
  await callServer(API_KEY_FUNCTIONS.end, { as: 'user', body: { id } });
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const dayOf = (time: string): string => DAY.format(new Date(time));

/** Whether a key opens anything now. */
export const isValid = ({ ended_at: ended, expires_at: expires }: ApiKey): boolean =>
  ended === null && Date.parse(expires) > Date.now();

/** What has become of a key: `Valid until 3 Dec 2026`. */
export function validityOf(key: ApiKey): string {
  if (key.ended_at !== null) return `Revoked on ${dayOf(key.ended_at)}`;
  return `${isValid(key) ? 'Valid until' : 'Expired on'} ${dayOf(key.expires_at)}`;
}

/** When a key was used: `Last used 3 Dec 2026`. */
export const useOf = ({ last_used_at: used }: ApiKey): string =>
  used === null ? 'Never used' : `Last used ${dayOf(used)}`;
