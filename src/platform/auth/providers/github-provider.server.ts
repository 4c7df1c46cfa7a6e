import * as openid from 'openid-client';
import { z } from 'zod';
import { foldedEmail } from '../../../kernel/contract/email-address.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type {
  ExternalAccount,
  ProviderReturn,
  ProviderStart,
  SignInProvider,
} from './external-account.server.ts';
import { guardedFetch } from './guarded-fetch.server.ts';
import { refusedByProvider } from './openid-provider.server.ts';

const GITHUB = 'https://github.com';
const GITHUB_API = 'https://api.github.com';

const profile = z.object({
  id: z.number().int(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
});
const addresses = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/**
 * GitHub: OAuth 2 without ID tokens, so its API says who the person is and which address is verified
 * (`/user`, `/user/emails`).
 *
 * @param setting `url` is the address of a GitHub server of your own, empty for github.com
 */
export function githubProvider(
  setting: { readonly clientIds: readonly string[]; readonly secret: string; readonly url: string },
  redirectUri: string,
  { outbound, log }: Pick<Resources, 'outbound' | 'log'>,
): SignInProvider {
  const fetch = guardedFetch(outbound);
  const site = setting.url.replace(/\/$/, '') || GITHUB;
  const api = site === GITHUB ? GITHUB_API : `${site}/api/v3`;
  const config = new openid.Configuration(
    {
      issuer: site,
      authorization_endpoint: `${site}/login/oauth/authorize`,
      token_endpoint: `${site}/login/oauth/access_token`,
    },
    setting.clientIds[0] ?? '',
    setting.secret,
    openid.ClientSecretPost(setting.secret),
  );
  config[openid.customFetch] = (url, options) => fetch(url, options);
  if (site.startsWith('http:')) openid.allowInsecureRequests(config);

  async function ask<Shape extends z.ZodType>(
    path: string,
    token: string,
    shape: Shape,
  ): Promise<z.output<Shape>> {
    const reply = await fetch(api + path, {
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'user-agent': 'Northline',
      },
    });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}`);
    return shape.parse(await reply.json());
  }

  return {
    name: 'github',
    label: 'GitHub',
    clientIds: setting.clientIds,
    async startAddress({ state, codeVerifier, scopes, extra }: ProviderStart) {
      return openid.buildAuthorizationUrl(config, {
        ...extra,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: [...new Set(['user:email', ...scopes])].join(' '),
        state,
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
    },
    async finish({ address, state, codeVerifier }: ProviderReturn) {
      try {
        const tokens = await openid.authorizationCodeGrant(config, address, {
          expectedState: state,
          pkceCodeVerifier: codeVerifier,
        });
        const [user, emails] = await Promise.all([
          ask('/user', tokens.access_token, profile),
          ask('/user/emails', tokens.access_token, addresses),
        ]);
        return accountOf(user, emails, site, {
          provider_token: tokens.access_token,
          provider_refresh_token: tokens.refresh_token,
        });
      } catch (error) {
        throw refusedByProvider(error, 'github', log);
      }
    },
  };
}

function accountOf(
  user: z.output<typeof profile>,
  emails: z.output<typeof addresses>,
  site: string,
  tokens: NonNullable<ExternalAccount['tokens']>,
): ExternalAccount {
  const chosen = emails.find(({ primary }) => primary) ?? emails.find(({ verified }) => verified);
  const email = chosen && foldedEmail(chosen.email);
  const providerId = String(user.id);
  const emailVerified = chosen?.verified === true;
  const name = user.name ?? '';
  return {
    provider: 'github',
    providerId,
    email,
    emailVerified,
    claims: {
      iss: site,
      sub: providerId,
      provider_id: providerId,
      ...(email === undefined ? {} : { email }),
      email_verified: emailVerified,
      phone_verified: false,
      ...(name === '' ? {} : { name, full_name: name }),
      user_name: user.login,
      preferred_username: user.login,
      ...(user.avatar_url ? { avatar_url: user.avatar_url } : {}),
    },
    tokens,
  };
}
