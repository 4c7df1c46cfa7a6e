import type { SupabaseClient } from '@supabase/supabase-js';

/** Methods that call no server: internals that the client's classes leave public. */
const PLUMBING = new Set([
  ...['constructor', 'fetch', 'functionsFetch', 'baseFetch', 'logger', 'log', 'hasLogger', 'lock', 'then'],
  ...['isThrowOnErrorEnabled', 'linkIdentityOAuth', 'linkIdentityIdToken', 'fetchJwk', 'cloneRequestState'],
  ...['processResponse', 'handleOperation', 'bucketLifecycleUrl', 'listBucketOptionsToQueryString'],
  ...['uploadOrUpdate', 'prepareUploadFormData', 'encodeMetadata', 'toBase64', 'applyTransformOptsToQuery'],
  ...['wrapFetch', 'decorateFetch', 'accessToken', 'endpointURL', 'push', 'visibilityChangedCallback'],
  ...['updateJoinPayload', 'teardown', 'copyBindings', 'signInWithEthereum', 'signInWithSolana'],
  // For types only: they return the object they are called on.
  ...['returns', 'overrideTypes'],
]);

function methodsOf(owner: object): string[] {
  const names = new Set<string>();
  for (let part = owner; part !== null && part !== Object.prototype; part = Object.getPrototypeOf(part)) {
    if (part === EventTarget.prototype) break;
    for (const name of Object.getOwnPropertyNames(part)) {
      const value = Object.getOwnPropertyDescriptor(part, name)?.value as unknown;
      if (typeof value === 'function' && !name.startsWith('_') && !PLUMBING.has(name)) names.add(name);
    }
  }
  return [...names];
}

/**
 * Every method of the client, read from its objects, as a case writes it: `auth.mfa.enroll(`,
 * `storage.from().upload(`, `from().select(`, `.eq(`.
 */
export function clientMethods(client: SupabaseClient): string[] {
  const { auth, storage, realtime, functions } = client;
  const channel = client.channel('reflected');
  const owners: readonly (readonly [prefix: string, owner: object])[] = [
    ['', client],
    ['auth.', auth],
    ['auth.mfa.', auth.mfa],
    ['auth.mfa.webauthn.', auth.mfa.webauthn],
    ['auth.mfa.recoveryCodes.', auth.mfa.recoveryCodes],
    ['auth.passkey.', auth.passkey],
    ['auth.oauth.', auth.oauth],
    ['auth.admin.', auth.admin],
    ['auth.admin.mfa.', auth.admin.mfa],
    ['auth.admin.oauth.', auth.admin.oauth],
    ['auth.admin.passkey.', auth.admin.passkey],
    ['auth.admin.customProviders.', auth.admin.customProviders],
    ['storage.', storage],
    ['storage.from().', storage.from('reflected')],
    ['storage.vectors.', storage.vectors],
    ['storage.analytics.', storage.analytics],
    ['from().', client.from('reflected')],
    ['.', client.from('reflected').select()],
    ['realtime.', realtime],
    ['channel().', channel],
    ['functions.', functions],
  ];
  return owners.flatMap(([prefix, owner]) => methodsOf(owner).map((name) => `${prefix}${name}(`));
}

/** Whether one of the cases calls a method: its text begins with it, or has it in its chain. */
export function isCalled(method: string, calls: readonly string[]): boolean {
  return calls.some((call) => (method.startsWith('.') ? call.includes(method) : call.startsWith(method)));
}

/** Methods whose feature is being built, with the reason; empty once everything has landed. */
export const PENDING: Readonly<Record<string, string>> = {};

/**
 * Parts of the client outside of the contract, with the reason. A name that ends with a dot is a whole part.
 */
export const OUTSIDE: Readonly<Record<string, string>> = {
  'auth.signInWithWeb3(': 'wallets are no way to sign in here: the grant answers `unsupported_grant_type`',
  'auth.mfa.webauthn.': 'needs a device and a page: what goes over the wire is in `webauthn-factor.test.ts`',
  'auth.signInWithPasskey(':
    'needs a device: `passkey-site.test.ts` has one in Chromium; the calls that it makes are in the table',
  'auth.registerPasskey(': 'as above',
  'auth.oauth.': 'Northline signs in with other issuers, it is none for other applications',
  'auth.admin.oauth.': 'as above: there are no client applications to administer',
  'auth.admin.customProviders.': 'issuers are settings of the operator, not rows',
  'storage.vectors.': 'no vector store in the contract',
  'storage.analytics.': 'no table store beside the database in the contract',
};
