import { createHmac } from 'node:crypto';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { derivedSecret, equalSecrets } from '../../kernel/resources/crypto/secrets.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { NumberAddresses } from './number-provider.server.ts';

const USER = 'number-';

/** The addresses at which providers reach this server; each holds a token that only the provider knows. */
export function openNumberAddresses({ keys, siteUrl }: Pick<Resources, 'keys' | 'siteUrl'>) {
  const key = derivedSecret(keys, 'voice numbers');
  const tokenOf = (id: string): string =>
    createHmac('sha256', key).update(id).digest('base64url').slice(0, 32);
  return {
    of(id: string): NumberAddresses {
      const answer = `${siteUrl}${SERVICES.voice}/inbound/${id}/${tokenOf(id)}`;
      return { answer, events: `${answer}/events` };
    },
    /** Whether number and token belong together. */
    fits: (id: string, token: string): boolean => equalSecrets(token, tokenOf(id)),
    /** The name and password by which a provider proves over SIP that it brings a call of the number. */
    proof: (id: string) => ({ username: `${USER}${id}`, password: tokenOf(`sip ${id}`) }),
    /** The number whose proof has that name; undefined for any other name. */
    ofUser: (username: string): string | undefined =>
      username.startsWith(USER) ? username.slice(USER.length) : undefined,
  };
}
