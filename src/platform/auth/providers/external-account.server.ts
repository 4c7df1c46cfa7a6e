/** A person as another provider vouches for them; not yet an account of ours. */
export interface ExternalAccount {
  /** `google`, `github`, a configured name, or `sso:<id>` for a company's sign-on. */
  readonly provider: string;
  /** The provider's own, lasting name for the person: `sub`, an id; never the address (ASVS 10.5.2). */
  readonly providerId: string;
  /** Lower case. */
  readonly email: string | undefined;
  /** The provider says that the person holds the address. */
  readonly emailVerified: boolean;
  /** What becomes `identity_data`. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly tokens?: ProviderTokens;
}

/** The provider's own tokens; they go into the session object, and nowhere else (docs/contracts/platform.md §2). */
export interface ProviderTokens {
  readonly provider_token?: string | undefined;
  readonly provider_refresh_token?: string | undefined;
}

/** A way to sign in that leads over another server. */
export interface SignInProvider {
  readonly name: string;
  readonly label: string;
  /** Audiences that ID tokens of this provider may have; the first is ours. */
  readonly clientIds: readonly string[];
  /** Where the person is sent. `extra` are parameters of the client for the provider, e.g. `prompt`. */
  startAddress(start: ProviderStart): Promise<URL>;
  /** Who came back. @throws ServiceError 400 `bad_oauth_callback` when the provider does not vouch for anybody */
  finish(back: ProviderReturn): Promise<ExternalAccount>;
  /** The claims of an ID token whose signature, issuer, audience and times hold; GitHub has none. */
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
  /** The address that the provider sent the browser to, with its query. */
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
  const email = text('email')?.trim().normalize('NFC').toLowerCase();
  // Some issuers write the word instead of the value.
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

/** Longest claim that is kept, characters: it travels in access tokens. */
const MAX_CLAIM = 512;

function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}
