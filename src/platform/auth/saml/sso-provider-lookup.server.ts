import { isUuid } from '../../../kernel/contract/uuid.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'auth.sso_providers.attribute_mapping': SsoProviderRow['attribute_mapping'];
  }
}

/** Which attribute a claim comes from, named as in the hosted service's API. */
export interface AttributeRule {
  readonly name?: string | undefined;
  readonly names?: readonly string[] | undefined;
  readonly default?: unknown;
  readonly array?: boolean | undefined;
}

/** A company's identity provider as stored, with its mail domains. */
export interface SsoProviderRow {
  readonly id: string;
  readonly resource_id: string | null;
  readonly disabled: boolean;
  readonly entity_id: string;
  readonly metadata_xml: string;
  readonly metadata_url: string | null;
  readonly attribute_mapping: { readonly keys?: Readonly<Record<string, AttributeRule>> };
  readonly name_id_format: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly domains: readonly { id: string; domain: string; created_at: string; updated_at: string }[];
}

/** Selects providers with their domains; append a condition or an order. */
export const SSO_PROVIDERS = `select p.id, p.resource_id, p.disabled, p.entity_id, p.metadata_xml, p.metadata_url, p.attribute_mapping,
    p.name_id_format, p.created_at, p.updated_at, coalesce((
    select jsonb_agg(to_jsonb(d) - 'sso_provider_id' order by d.domain)
    from auth.sso_domains d where d.sso_provider_id = p.id
  ), '[]') as domains from auth.sso_providers p`;

/** Finds a provider by its id, or by `resource_<name>` as the hosted service's API allows. */
export async function findSsoProvider(queries: Queries, id: string): Promise<SsoProviderRow | undefined> {
  if (id.startsWith('resource_')) {
    return queries.maybe(`${SSO_PROVIDERS} where p.resource_id = $1`, [
      id.slice('resource_'.length),
    ]) as Promise<SsoProviderRow | undefined>;
  }
  return isUuid(id)
    ? (queries.maybe(`${SSO_PROVIDERS} where p.id = $1`, [id]) as Promise<SsoProviderRow | undefined>)
    : undefined;
}

/** The provider of a mail domain. */
export function findSsoProviderByDomain(
  queries: Queries,
  domain: string,
): Promise<SsoProviderRow | undefined> {
  return queries.maybe(
    `${SSO_PROVIDERS} where p.id = (select sso_provider_id from auth.sso_domains where domain = $1)`,
    [domain.trim().toLowerCase()],
  ) as Promise<SsoProviderRow | undefined>;
}

/** A provider in a reply (the hosted service's admin API); lists leave out the metadata. */
export function ssoProviderBody(provider: SsoProviderRow, withMetadata = true): Record<string, unknown> {
  return {
    id: provider.id,
    ...(provider.resource_id === null ? {} : { resource_id: provider.resource_id }),
    disabled: provider.disabled,
    saml: {
      entity_id: provider.entity_id,
      ...(provider.metadata_url === null ? {} : { metadata_url: provider.metadata_url }),
      ...(withMetadata ? { metadata_xml: provider.metadata_xml } : {}),
      attribute_mapping: provider.attribute_mapping,
      ...(provider.name_id_format === null ? {} : { name_id_format: provider.name_id_format }),
    },
    domains: provider.domains.map(({ id, domain, ...times }) => ({
      id,
      domain,
      created_at: new Date(times.created_at).toISOString(),
      updated_at: new Date(times.updated_at).toISOString(),
    })),
    created_at: provider.created_at.toISOString(),
    updated_at: provider.updated_at.toISOString(),
  };
}
