import { useEffect, useState } from 'react';
import { SERVICES } from '../../../kernel/contract/routes.ts';

/** The ways to sign in that the operator has enabled, besides the password. */
export interface SignInWays {
  /** The name that clients use for each provider, and the label of its button. */
  readonly providers: readonly { readonly name: string; readonly label: string }[];
  readonly passkeys: boolean;
  /** True when people may add and remove ways to sign in. */
  readonly linking: boolean;
  /** Days in which a deleted account can still be kept; undefined until it is known. */
  readonly graceDays: number | undefined;
}

const NONE: SignInWays = { providers: [], passkeys: false, linking: false, graceDays: undefined };
let loading: Promise<SignInWays> | undefined;

/** Asks the server once per page. Whenever that fails, only the password form is shown. */
export function readSignInWays(): Promise<SignInWays> {
  loading ??= fetch(`${SERVICES.auth}/settings`)
    .then(async (reply) => (reply.ok ? waysOf(await reply.json()) : NONE))
    .catch(() => {
      loading = undefined;
      return NONE;
    });
  return loading;
}

/** The same as a hook: undefined until it is known. */
export function useSignInWays(): SignInWays | undefined {
  const [ways, setWays] = useState<SignInWays>();
  useEffect(() => {
    let left = false;
    void readSignInWays().then((found) => {
      if (!left) setWays(found);
    });
    return () => {
      left = true;
    };
  }, []);
  return ways;
}

function waysOf(settings: {
  external_labels?: Record<string, string>;
  passkeys_enabled?: boolean;
  manual_linking_enabled?: boolean;
  grace_days?: number;
}): SignInWays {
  const labels = Object.entries(settings.external_labels ?? {});
  return {
    providers: labels.map(([name, label]) => ({ name, label })),
    passkeys: settings.passkeys_enabled === true && canUsePasskeys(),
    linking: settings.manual_linking_enabled === true,
    graceDays: settings.grace_days,
  };
}

/** Whether passkeys work in this browser and at this address. */
export const canUsePasskeys = (): boolean => typeof PublicKeyCredential === 'function' && !isAtNumber();

/**
 * Passkeys belong to a host name, and browsers refuse them for an IP address, which a first trial often uses.
 */
export const isAtNumber = (): boolean => /^[\d.]+$|^\[/.test(location.hostname);
