import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { changedUnlessTaken } from '../../../kernel/resources/database/unique-violation.ts';
import type { AuthContext } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { readBody } from '../request-input.server.ts';
import { type IdpMetadata, readIdpMetadata } from './idp-metadata.server.ts';
import {
  findSsoProvider,
  SSO_PROVIDERS,
  type SsoProviderRow,
  ssoProviderBody,
} from './sso-provider-lookup.server.ts';

const MAX_METADATA = 256 * 1024;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

const rule = z.object({
  name: z.string().max(300).optional(),
  names: z.array(z.string().max(300)).max(20).optional(),
  default: z.unknown().optional(),
  array: z.boolean().optional(),
});
const body = z.object({
  type: z.string().nullish(),
  resource_id: z.string().max(200).nullish(),
  disabled: z.boolean().nullish(),
  metadata_url: z.string().max(2048).nullish(),
  metadata_xml: z.string().nullish(),
  domains: z.array(z.string().max(253)).max(100).nullish(),
  attribute_mapping: z.object({ keys: z.record(z.string().max(100), rule).optional() }).nullish(),
  name_id_format: z
    .string()
    .regex(
      /^urn:oasis:names:tc:SAML:(1\.1|2\.0):nameid-format:(persistent|emailAddress|transient|unspecified)$/,
    )
    .nullish(),
});
type Input = z.output<typeof body>;

/**
 * `POST /admin/sso/providers`: a company's identity provider, by `metadata_xml` or `metadata_url`. 201.
 *
 * @throws ServiceError 400 `validation_failed`, `saml_metadata_fetch_failed`; 422
 * `saml_idp_already_exists`, `sso_domain_already_exists`
 */
export async function createSsoProvider(context: AuthContext, request: FastifyRequest, reply: FastifyReply) {
  const input = readBody(body, request.body);
  if (input.type !== 'saml') throw invalidInput("Only 'saml' supported for SSO provider type");
  const given = await metadataOf(context, input);
  if (given === undefined) throw invalidInput('Either metadata_xml or metadata_url must be set');
  const provider = await context.resources.database.transaction(async (queries) => {
    const row = await queries.maybe(
      `insert into auth.sso_providers (entity_id, metadata_xml, metadata_url, attribute_mapping, name_id_format,
         resource_id, disabled) values ($1, $2, $3, $4, $5, $6, coalesce($7, false))
       on conflict do nothing returning id`,
      [
        given.metadata.entityId,
        given.xml,
        input.metadata_url || null,
        JSON.stringify(input.attribute_mapping ?? {}),
        input.name_id_format ?? null,
        input.resource_id ?? null,
        input.disabled ?? null,
      ],
    );
    if (row === undefined) throw await conflictOf(queries, given.metadata, input);
    await setDomains(queries, row.id, input.domains ?? []);
    return found(await findSsoProvider(queries, row.id));
  });
  return reply.code(201).send(ssoProviderBody(provider));
}

/** The error for the name (entity or domain) that another provider already has. */
async function conflictOf(queries: Queries, { entityId }: IdpMetadata, input: Input): Promise<ServiceError> {
  const other = await queries.maybe('select 1 from auth.sso_providers where entity_id = $1', [entityId]);
  if (other === undefined) return resourceTaken(input);
  return new ServiceError(
    422,
    'saml_idp_already_exists',
    `SAML Identity Provider with this EntityID (${entityId}) already exists`,
  );
}

function resourceTaken({ resource_id: name }: Input): ServiceError {
  return invalidInput(`resource_id '${name}' belongs to another provider`);
}

/** `GET /admin/sso/providers`: `{items}`, without the metadata. */
export async function listSsoProviders({ resources }: AuthContext) {
  const rows = await resources.database.many(`${SSO_PROVIDERS} order by p.created_at, p.id`);
  return { items: rows.map((row) => ssoProviderBody(row as SsoProviderRow, false)) };
}

/** `GET /admin/sso/providers/{id}`. @throws ServiceError 404 `sso_provider_not_found` */
export async function showSsoProvider({ resources }: AuthContext, request: FastifyRequest) {
  return ssoProviderBody(found(await findSsoProvider(resources.database, idOf(request))));
}

/**
 * `PUT /admin/sso/providers/{id}`: changes the given fields; the entity stays the same.
 *
 * @throws ServiceError as for creating, and 400 `saml_entity_id_mismatch`, 404 `sso_provider_not_found`
 */
export async function updateSsoProvider(context: AuthContext, request: FastifyRequest) {
  const input = readBody(body, request.body);
  const before = found(await findSsoProvider(context.resources.database, idOf(request)));
  const given = await metadataOf(context, input);
  if (given !== undefined && given.metadata.entityId !== before.entity_id) {
    throw new ServiceError(
      400,
      'saml_entity_id_mismatch',
      `SAML Metadata can be updated only if the EntityID matches for the provider; expected '${before.entity_id}'`,
    );
  }
  const provider = await context.resources.database.transaction(async (queries) => {
    const changed = await changedUnlessTaken(queries, () =>
      queries.run(
        `update auth.sso_providers set metadata_xml = coalesce($2, metadata_xml),
         metadata_url = case when $2::text is null then metadata_url else $3 end,
         attribute_mapping = coalesce($4, attribute_mapping), name_id_format = coalesce($5, name_id_format),
         resource_id = coalesce($6, resource_id), disabled = coalesce($7, disabled), updated_at = now()
       where id = $1`,
        [
          before.id,
          given?.xml ?? null,
          input.metadata_url || null,
          input.attribute_mapping ? JSON.stringify(input.attribute_mapping) : null,
          input.name_id_format ?? null,
          input.resource_id ?? null,
          input.disabled ?? null,
        ],
      ),
    );
    if (!changed) throw resourceTaken(input);
    if (input.domains) await setDomains(queries, before.id, input.domains);
    return found(await findSsoProvider(queries, before.id));
  });
  return ssoProviderBody(provider);
}

/**
 * `DELETE /admin/sso/providers/{id}`: its people keep their accounts but have no way to sign in. Returns the
 * deleted provider.
 */
export async function removeSsoProvider({ resources }: AuthContext, request: FastifyRequest) {
  const provider = found(await findSsoProvider(resources.database, idOf(request)));
  await resources.database.transaction(async (queries) => {
    await queries.run(
      'delete from auth.sessions where user_id in (select user_id from auth.identities where provider = $1)',
      [`sso:${provider.id}`],
    );
    await queries.run('delete from auth.sso_providers where id = $1', [provider.id]);
  });
  return ssoProviderBody(provider);
}

/** Reads the metadata of providers that have a metadata address again, to follow changes of their keys. */
export async function refreshMetadata(context: Pick<AuthContext, 'resources'>): Promise<void> {
  const { database, log } = context.resources;
  const rows = await database.many(`${SSO_PROVIDERS} where p.metadata_url is not null`);
  for (const row of rows) {
    try {
      const given = await metadataOf(context, { metadata_url: row.metadata_url });
      if (given === undefined || given.metadata.entityId !== row.entity_id)
        throw new Error('another entityID');
      await database.run(
        'update auth.sso_providers set metadata_xml = $2, updated_at = now() where id = $1 and metadata_xml <> $2',
        [row.id, given.xml],
      );
    } catch (error) {
      log.warn({ provider: row.id, reason: (error as Error).message }, 'SAML metadata was not renewed');
    }
  }
}

/** The metadata that a request contains or links to; undefined when it does neither. */
async function metadataOf(
  { resources }: Pick<AuthContext, 'resources'>,
  { metadata_xml: xml, metadata_url: address }: Pick<Input, 'metadata_xml' | 'metadata_url'>,
): Promise<{ xml: string; metadata: IdpMetadata } | undefined> {
  if (xml && address) throw invalidInput('Only one of metadata_xml or metadata_url needs to be set');
  if (xml) return { xml, metadata: readIdpMetadata(xml) };
  if (!address) return undefined;
  const fetched = await resources.outbound
    .request({ url: address, method: 'GET', maxBytes: MAX_METADATA })
    .catch((error: Error) => ({ status: 0, cut: false, body: Buffer.from(error.message) }));
  if (fetched.status !== 200 || fetched.cut) {
    const reason = fetched.status === 0 ? fetched.body.toString() : `It answered ${fetched.status}.`;
    throw new ServiceError(
      400,
      'saml_metadata_fetch_failed',
      `Unable to fetch metadata. ${fetched.cut ? 'It is too long.' : reason}`,
    );
  }
  const text = fetched.body.toString('utf8');
  return { xml: text, metadata: readIdpMetadata(text) };
}

async function setDomains(queries: Queries, id: string, domains: readonly string[]): Promise<void> {
  const wanted = [...new Set(domains.map((domain) => domain.trim().toLowerCase()))];
  const wrong = wanted.find((domain) => !DOMAIN.test(domain));
  if (wrong !== undefined) throw invalidInput(`'${wrong}' is not a domain`);
  await queries.run('delete from auth.sso_domains where sso_provider_id = $1 and domain <> all ($2)', [
    id,
    wanted,
  ]);
  for (const domain of wanted) {
    // A domain that the provider already has is kept; nothing comes back when another provider has it.
    const own = await queries.maybe(
      `insert into auth.sso_domains (sso_provider_id, domain) values ($1, $2)
       on conflict (domain) do update set domain = excluded.domain
         where sso_domains.sso_provider_id = excluded.sso_provider_id returning id`,
      [id, domain],
    );
    if (own === undefined) {
      throw new ServiceError(
        422,
        'sso_domain_already_exists',
        `SSO Domain '${domain}' is already assigned to an SSO identity provider`,
      );
    }
  }
}

function idOf(request: FastifyRequest): string {
  return (request.params as { providerId: string }).providerId;
}

/** @throws ServiceError 404 `sso_provider_not_found` */
function found(provider: SsoProviderRow | undefined): SsoProviderRow {
  if (provider !== undefined) return provider;
  throw new ServiceError(404, 'sso_provider_not_found', 'SSO identity provider not found');
}
