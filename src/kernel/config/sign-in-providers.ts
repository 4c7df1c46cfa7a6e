import { z } from 'zod';

/** An OpenID Connect issuer that the operator has named (AUTH_OIDC_PROVIDERS). */
export interface OidcProviderSetting {
  /** The name that clients use: `signInWithOAuth({ provider: name })`. */
  readonly name: string;
  /** Label of the button. */
  readonly label: string;
  /** Its address, without `/.well-known/openid-configuration`. */
  readonly issuer: string;
  /**
   * One client id or several, separated by commas. ID tokens may name any of them as audience; sign-in uses
   * the first.
   */
  readonly client_id: string;
  readonly secret: string;
  /** Scopes in addition to `openid email profile`, separated by blanks. */
  readonly scopes: string;
}

/** Names that already have another meaning in an account. */
const TAKEN = ['email', 'phone', 'anonymous', 'web3', 'passkey', 'google', 'github'];

const provider = z.strictObject({
  name: z
    .string()
    .regex(/^(custom:)?[a-z0-9][a-z0-9_-]{0,39}$/, {
      error: 'needs a name of lower-case letters, digits, - and _',
    })
    .refine((name) => !TAKEN.includes(name) && !name.startsWith('sso'), {
      error: 'has a name that is taken',
    }),
  label: z.string().trim().max(40).optional(),
  issuer: z.string().refine((text) => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''), {
    error: 'needs an issuer, e.g. https://id.example.com',
  }),
  client_id: z.string().min(1, { error: 'needs a client_id' }),
  secret: z.string().default(''),
  scopes: z.string().default(''),
});

/** The rule of AUTH_OIDC_PROVIDERS: a JSON array; every refusal names the provider and the field. */
export function oidcProviders() {
  return z
    .string()
    .default('')
    .transform((text, context): readonly OidcProviderSetting[] => {
      const list = parse(text.trim());
      const refuse = (message: string) => {
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      };
      if (!Array.isArray(list))
        return refuse('must be a JSON array like [{"name":"acme","issuer":"https://…",…}]');
      const found: OidcProviderSetting[] = [];
      for (const [index, entry] of list.entries()) {
        const outcome = provider.safeParse(entry);
        if (!outcome.success) {
          const issue = outcome.error.issues[0];
          return refuse(
            `names provider ${index + 1} wrongly (${issue?.path.join('.') || 'entry'}): ${issue?.message}`,
          );
        }
        const { data } = outcome;
        if (found.some(({ name }) => name === data.name))
          return refuse(`names the provider ${data.name} twice`);
        found.push({ ...data, label: data.label || data.name, issuer: data.issuer.replace(/\/$/, '') });
      }
      return found;
    });
}

function parse(text: string): unknown {
  if (text === '') return [];
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
