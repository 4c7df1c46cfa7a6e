import { z } from 'zod';
import { PAGES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { derivedSecret, equalSecrets } from '../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { FIRST_OPERATOR_FRAGMENT } from './console.contract.ts';
import { changeOperatorRole, lockOperators } from './role-change.server.ts';

/** The token has 192 bits; the limit keeps the log free of people who guess all the same. */
const FEW = { count: 10, seconds: 600 };

/**
 * The address at which the first operator gets the console, printed when the product starts. Its token counts once:
 * undefined as soon as the installation has had an operator, who then lets others in.
 */
export async function firstOperatorAddress({
  database,
  keys,
  siteUrl,
}: Pick<Resources, 'keys' | 'siteUrl'> & { readonly database: Queries }): Promise<string | undefined> {
  if (await hasHadOperator(database)) return undefined;
  return `${siteUrl}${PAGES.operator.path}#${FIRST_OPERATOR_FRAGMENT}${firstOperatorToken(keys)}`;
}

/** The secret in that address. It belongs to the installation, so it stays the same until it has been used. */
function firstOperatorToken(keys: Resources['keys']): string {
  return derivedSecret(keys, 'first operator').toString('base64url').slice(0, 32);
}

/**
 * Mounts `POST claim-console` `{token}`: makes the caller's account the first operator's. The right counts from the
 * caller's next access token on.
 *
 * @throws ServiceError (to the caller) 403 `wrong_token`, `address_unconfirmed`; 409 `console_has_operator`
 * @trigger private.operator_audit operator_audit_append_only
 */
export function declareFirstOperator(http: HttpContext, { database, keys, log }: Resources): void {
  declareFunction(http, {
    name: 'claim-console',
    callers: 'users',
    body: z.object({ token: z.string().max(100) }),
    limit: FEW,
    handle: async ({ caller, body }) => {
      const id = requireUser(caller);
      if (!equalSecrets(body.token, firstOperatorToken(keys)))
        throw new ServiceError(
          403,
          'wrong_token',
          'This address is not right. Copy it whole from the terminal of the server.',
        );
      const email = await database.transaction((queries) => claim(queries, id));
      log.warn({ user: id }, 'the first operator has the console');
      return { email };
    },
  });
}

async function claim(queries: Queries, id: string): Promise<string> {
  // Two people with the address at the same moment: the second one finds the first.
  await lockOperators(queries);
  if (await hasHadOperator(queries))
    throw new ServiceError(
      409,
      'console_has_operator',
      'The console has its first operator already. Ask that person to let you in.',
    );
  const account = await queries.maybe(
    `select email from auth.users
     where id = $1 and email_confirmed_at is not null and not is_anonymous and deleted_at is null for update`,
    [id],
  );
  if (account?.email == null)
    throw new ServiceError(403, 'address_unconfirmed', 'Confirm the address of your account first.');
  await changeOperatorRole(queries, { id, email: account.email, role: null }, 'owner', 'first start');
  return account.email;
}

async function hasHadOperator(queries: Queries): Promise<boolean> {
  const { had } = await queries.one(
    `select exists (select 1 from private.operator_audit where action = 'operator.add')
         or exists (select 1 from auth.users where private.operator_role_of(raw_app_meta_data) is not null and deleted_at is null)
       as had`,
  );
  return had === true;
}
