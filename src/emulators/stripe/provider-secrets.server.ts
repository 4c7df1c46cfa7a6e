import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import type { Resources } from '../../kernel/resources/resources.ts';

/**
 * The API key and the webhook secret, derived from the installation's keys, so that there are no default
 * ones.
 */
export function providerSecrets(keys: Resources['keys']): { apiKey: string; webhook: string } {
  return {
    apiKey: `sk_test_${derivedSecret(keys, 'test provider api key').toString('hex')}`,
    webhook: `whsec_${derivedSecret(keys, 'test provider webhook').toString('base64url')}`,
  };
}
