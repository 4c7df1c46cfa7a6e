import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { isUuid } from '../../../kernel/contract/uuid.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';

/** Life of a challenge, seconds. */
export const CHALLENGE_SECONDS = 300;

type Kind = 'registration' | 'authentication';

/** Stores a challenge; `expires_at` is epoch seconds. */
export async function saveWebauthnChallenge(
  queries: Queries,
  challenge: { readonly kind: Kind; readonly challenge: string; readonly userId: string | null },
): Promise<{ challenge_id: string; expires_at: number }> {
  const row = await queries.one(
    `insert into auth.webauthn_challenges (kind, user_id, challenge, expires_at)
     values ($1, $2, $3, now() + make_interval(secs => $4)) returning id, expires_at`,
    [challenge.kind, challenge.userId, challenge.challenge, CHALLENGE_SECONDS],
  );
  return { challenge_id: row.id, expires_at: Math.floor(row.expires_at.getTime() / 1000) };
}

/**
 * Reads a challenge and deletes it, so that it counts only once, whether or not the answer is right.
 *
 * @throws ServiceError 400 `webauthn_challenge_not_found`, `webauthn_challenge_expired`
 */
export async function consumeWebauthnChallenge(
  queries: Queries,
  id: string,
  kind: Kind,
  userId: string | null,
): Promise<string> {
  const row = isUuid(id)
    ? await queries.maybe(
        `delete from auth.webauthn_challenges where id = $1 and kind = $2 and user_id is not distinct from $3
         returning challenge, expires_at > now() as alive`,
        [id, kind, userId],
      )
    : undefined;
  if (row === undefined) throw new ServiceError(400, 'webauthn_challenge_not_found', 'Challenge not found');
  if (!row.alive) throw new ServiceError(400, 'webauthn_challenge_expired', 'Challenge has expired');
  return row.challenge;
}
