import { foldedEmail } from '../../../kernel/contract/email-address.ts';
/** A person whom another provider vouches for; not yet an account of ours. */
export interface ExternalAccount {
  /** `google`, `github`, a configured name, or `sso:<id>` for a company's sign-on. */
  readonly provider: string;
  /** The provider's permanent id for the person, such as `sub`; never the address (ASVS 10.5.2). */
  readonly providerId: string;
  /** Lower case. */
  readonly email: string | undefined;
  /** True when the provider says that the person controls the address. */
  readonly emailVerified: boolean;
  /** Stored as `identity_data`. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly tokens?: ProviderTokens;
}

/**
 * The provider's own tokens; they appear in the session object and nowhere else (docs/contracts/platform.md
 * §2).
 */
export interface ProviderTokens {
  readonly provider_token?: string | undefined;
  readonly provider_refresh_token?: string | undefined;
}

/** A way to sign in by another server. */
export interface SignInProvider {
  readonly name: string;
  readonly label: string;
  /** Audiences that this provider's ID tokens may have; the first is ours. */
  readonly clientIds: readonly string[];
  /**
   * The address to send the person to. `extra` are the client's parameters for the provider, e.g. `prompt`.
   */
  startAddress(start: ProviderStart): Promise<URL>;
  /**
   * The person who came back. @throws ServiceError 400 `bad_oauth_callback` when the provider vouches for
   * nobody
   */
  finish(back: ProviderReturn): Promise<ExternalAccount>;
  /**
   * The claims of an ID token with valid signature, issuer, audience and times; GitHub issues no ID tokens.
   */
  readonly readIdToken?: (idToken: string) => Promise<IdTokenClaims>;
}

export interface ProviderStart {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly scopes: readonly string[];
  readonly extra: Readonly<Record<string, string>>;
}

export interface ProviderReturn {
  /** The address to which the provider sent the browser, with its query. */
  readonly address: URL;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Claims of an ID token (OpenID Connect Core §2, §5.1). */
export interface IdTokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly exp: number;
  readonly nonce?: unknown;
  readonly at_hash?: unknown;
  readonly [claim: string]: unknown;
}

/** The account that OpenID Connect claims describe. */
export function accountOfClaims(
  provider: string,
  claims: Readonly<Record<string, unknown>>,
  tokens?: ProviderTokens,
): ExternalAccount {
  const text = (name: string): string | undefined => {
    const value = claims[name];
    return typeof value === 'string' && value !== '' ? value.slice(0, MAX_CLAIM) : undefined;
  };
  const providerId = text('sub') ?? '';
  const given = text('email');
  const email = given === undefined ? undefined : foldedEmail(given);
  // Some issuers send the word as a string.
  const emailVerified = claims.email_verified === true || claims.email_verified === 'true';
  const picture = text('picture');
  const name = text('name') ?? [text('given_name'), text('family_name')].filter(Boolean).join(' ');
  const userName = text('preferred_username') ?? text('nickname');
  return {
    provider,
    providerId,
    email,
    emailVerified: emailVerified && email !== undefined,
    claims: withoutEmpty({
      iss: text('iss'),
      sub: providerId,
      provider_id: providerId,
      email,
      email_verified: emailVerified,
      phone_verified: false,
      name,
      full_name: name,
      picture,
      avatar_url: picture,
      preferred_username: userName,
      user_name: userName,
    }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

/** Longest claim in characters that is stored: claims travel in access tokens. */
const MAX_CLAIM = 512;

function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}
