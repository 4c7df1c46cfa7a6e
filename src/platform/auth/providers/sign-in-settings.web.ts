import { SERVICES } from '../../../kernel/contract/routes.ts';

/** Ways to sign in that the operator has opened, besides the password. */
export interface SignInWays {
  /** What clients call a provider, and what its button says. */
  readonly providers: readonly { readonly name: string; readonly label: string }[];
  readonly passkeys: boolean;
}

const NONE: SignInWays = { providers: [], passkeys: false };
let loading: Promise<SignInWays> | undefined;

/** Asks once per page. Whatever goes wrong, the password form stays alone. */
export function readSignInWays(): Promise<SignInWays> {
  loading ??= fetch(`${SERVICES.auth}/settings`)
    .then(async (reply) => (reply.ok ? waysOf(await reply.json()) : NONE))
    .catch(() => {
      loading = undefined;
      return NONE;
    });
  return loading;
}

function waysOf(settings: {
  external_labels?: Record<string, string>;
  passkeys_enabled?: boolean;
}): SignInWays {
  const labels = Object.entries(settings.external_labels ?? {});
  return {
    providers: labels.map(([name, label]) => ({ name, label })),
    passkeys: settings.passkeys_enabled === true && canUsePasskeys(),
  };
}

/** Passkeys belong to a host name; browsers refuse them for an IP address. */
export function canUsePasskeys(): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
  return typeof PublicKeyCredential === 'function' && !isAddress;
}
