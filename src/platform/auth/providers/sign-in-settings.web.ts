import { useEffect, useState } from 'react';
import { SERVICES } from '../../../kernel/contract/routes.ts';

/** Ways to sign in that the operator has opened, besides the password. */
export interface SignInWays {
  /** What clients call a provider, and what its button says. */
  readonly providers: readonly { readonly name: string; readonly label: string }[];
  readonly passkeys: boolean;
  /** People may add and remove ways to sign in themselves. */
  readonly linking: boolean;
  /** Days in which a deleted account can still be kept; undefined while that is not known. */
  readonly graceDays: number | undefined;
}

const NONE: SignInWays = { providers: [], passkeys: false, linking: false, graceDays: undefined };
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

/** The same for a component: undefined until it is known. */
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

/** Passkeys belong to a host name; browsers refuse them for an IP address, as a first trial has one. */
export const isAtNumber = (): boolean => /^[\d.]+$|^\[/.test(location.hostname);
