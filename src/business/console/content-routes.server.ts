import { currencyWord, formatMoney } from '@northline/vat/money';
import { z } from 'zod';
import { USUAL_CURRENCY } from '../../kernel/contract/plans.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { PublishedSite, SiteContent } from '../../kernel/contract/site-content.ts';
import { declareFunction, parseInput } from '../../kernel/functions/function-declaration.server.ts';
import { redrawLogo } from '../../kernel/http/site/brand-pictures.ts';
import { printPages } from '../../kernel/http/site/page-printing.ts';
import type { Payments } from '../billing/payments.server.ts';
import { syncPrices } from '../billing/price-sync.server.ts';
import type {
  ContentOverview,
  ContentReply,
  FormerNames,
  LogoReply,
  PreviewReply,
  PublishReply,
} from '../content/content.contract.ts';
import { readContentFile, writeContentFile } from '../content/content-file.server.ts';
import type { ContentStore } from '../content/content-store.server.ts';
import { findFormerNames } from '../content/former-names.server.ts';
import { MOST_LOGO_BYTES, readLogo } from '../content/logo-cleaning.server.ts';
import { versionPlans } from '../content/plan-versions.server.ts';
import { CONTENT_RULES, withoutDefaults } from '../content/site-content-check.server.ts';
import { writeAllowances } from '../files/credit-reservation.server.ts';
import { mountPreview } from './content-preview.server.ts';
import {
  asOperator,
  declareForOperators,
  declareOperatorWork,
  type OperatorScope,
  sent,
} from './operator-gate.server.ts';

/** Two legal pages of 60,000 characters, and the rest. */
const BODY_LIMIT = 512 * 1024;
/** A logo in base64. */
const LOGO_LIMIT = Math.ceil((MOST_LOGO_BYTES * 4) / 3) + 1024;
/** The whole content of the site as it comes is 60 KB, and a logo 32. */
const MOST_FILE_CHARACTERS = 192 * 1024;
const LOGOS_A_MINUTE = 30;
const SHOWN_VERSIONS = 50;
const PUBLISH_LIMIT = { count: 60, seconds: 300 };

/** What the content of the site stands on. */
export interface ContentScope extends OperatorScope {
  readonly store: ContentStore;
  readonly payments: Payments;
}

/** The functions behind the console's Content page, and the previews (decision 0230). */
export function mountContent(scope: ContentScope): void {
  const { resources, store, payments } = scope;
  // Another process may have made prices that this one has not read.
  store.onChange(() => payments.prices.refresh(true));
  serveContent(scope);
  servePublishing(scope);
  mountPreview(scope);
  declareForOperators(scope, {
    name: 'preview-content',
    method: 'POST',
    input: z.object({ content: CONTENT_RULES }),
    bodyLimit: BODY_LIMIT,
    async answer(queries, { content }): Promise<PreviewReply> {
      const { token } = await queries.one('select operator.preview_site($1) as token', [
        JSON.stringify(withoutDefaults(content)),
      ]);
      return { path: `/site-preview/${token}/` };
    },
  });
  declareForOperators(scope, {
    name: 'import-content',
    method: 'POST',
    input: z.object({ yaml: z.string().max(MOST_FILE_CHARACTERS) }),
    bodyLimit: BODY_LIMIT,
    async answer(_queries, { yaml }): Promise<ContentReply> {
      return { content: withoutDefaults(parseInput(CONTENT_RULES, await readContentFile(yaml))) };
    },
  });
  declareOperatorWork(scope, {
    name: 'check-logo',
    input: z.object({ file: z.base64() }),
    bodyLimit: LOGO_LIMIT,
    perMinute: LOGOS_A_MINUTE,
    heavy: true,
    work: async (_caller, { file }): Promise<LogoReply> => ({
      logo: await readLogo(Buffer.from(file, 'base64'), redrawLogo),
    }),
  });
  serveDrafts(scope);
  scope.http.server.get('/functions/v1/operator-site.yaml', async (request, reply) => {
    const caller = await scope.http.authenticate(request.headers, request.query as Record<string, unknown>);
    return asOperator(resources, caller, 'site.yaml', async () =>
      reply
        .type('application/yaml; charset=utf-8')
        .headers({ 'content-disposition': 'attachment; filename="site.yaml"', 'cache-control': 'no-store' })
        .send(writeContentFile(resources.site.content, brandOf(scope))),
    );
  });
}

/** What a text may call the currency that visitors still see, if this content has another one: `£`, `GBP`, `pounds`. */
function formerCurrencies({ currency: shown }: PublishedSite, currency = USUAL_CURRENCY): string[] {
  if (shown === currency) return [];
  return [formatMoney(0, shown).replace(/[\d\s]/g, ''), shown, currencyWord(shown)];
}

const brandOf = ({ resources: { settings } }: ContentScope) => ({
  name: settings.BRAND,
  contactEmail: settings.CONTACT_EMAIL,
  socialUrl: settings.SOCIAL_URL,
});

/** Contents that are being written, and where a former name would still stand in them. */
function serveDrafts(scope: ContentScope): void {
  declareForOperators(scope, {
    name: 'keep-draft',
    method: 'POST',
    // What is being typed need not be publishable yet; only its writer gets it back.
    input: z.object({ base: z.int().min(0), content: z.record(z.string(), z.unknown()).nullable() }),
    bodyLimit: BODY_LIMIT,
    async answer(queries, { base, content }): Promise<{ kept_at: string | null }> {
      const { at } = await queries.one('select operator.keep_site_draft($1, $2) as at', [
        base,
        content === null ? null : JSON.stringify(content),
      ]);
      return { kept_at: at === null ? null : at.toISOString() };
    },
  });
  declareForOperators(scope, {
    name: 'content-names',
    method: 'POST',
    input: z.object({ content: CONTENT_RULES }),
    bodyLimit: BODY_LIMIT,
    async answer(queries, { content }): Promise<FormerNames> {
      const present = scope.resources.settings.BRAND;
      const published = await queries.many('select name /* not null */ from operator.former_names');
      const texts = await queries.many(
        'select place /* not null */, words /* not null */ from operator.named_texts',
      );
      return findFormerNames(withoutDefaults(content), {
        name: content.brand?.name ?? present,
        former: [
          ...new Set([
            ...published.map(({ name }) => name),
            present,
            ...formerCurrencies(scope.resources.site, content.currency),
          ]),
        ],
        texts,
      });
    },
  });
}

function serveContent(scope: ContentScope): void {
  declareForOperators(scope, {
    name: 'content',
    method: 'GET',
    input: z.object({}),
    async answer(queries): Promise<ContentOverview> {
      const history = await queries.many(
        'select id /* not null */, note /* not null */, made_by, created_at /* not null */ from operator.site_versions order by id desc limit $1',
        [SHOWN_VERSIONS],
      );
      const newest = await queries.maybe(
        'select id /* not null */, content /* not null */ from operator.site_versions order by id desc limit 1',
      );
      const draft = await queries.maybe(
        'select base /* not null */, content /* not null */, updated_at /* not null */ from operator.site_draft',
      );
      return {
        draft: draft === undefined ? null : { ...sent(draft), content: draft.content as SiteContent },
        version: newest?.id ?? 0,
        content: (newest?.content ?? {}) as SiteContent,
        settings: brandOf(scope),
        history: history.map(sent),
      };
    },
  });
  declareForOperators(scope, {
    name: 'content-version',
    method: 'GET',
    input: z.object({
      id: z.coerce
        .number()
        .int()
        .min(1)
        .max(2 ** 31 - 1),
    }),
    async answer(queries, { id }): Promise<ContentReply> {
      const version = await queries.maybe(
        'select content /* not null */ from operator.site_versions where id = $1',
        [id],
      );
      if (version === undefined) throw new ServiceError(404, 'not_found', 'There is no such version.');
      return { content: version.content as SiteContent };
    },
  });
}

/**
 * Publishes in an order that can fail anywhere: pages and prices are tried first, then the version is written, then
 * shown. Prices that were made for a version which was not published are found again by the next one.
 */
function servePublishing({ http, resources, store, payments }: ContentScope): void {
  declareFunction(http, {
    name: 'operator-publish-content',
    callers: 'anyone',
    body: z.unknown(),
    limit: PUBLISH_LIMIT,
    bodyLimit: BODY_LIMIT,
    async handle({ caller, body }): Promise<PublishReply> {
      const input = await asOperator(resources, caller, 'publish-content', async () =>
        parseInput(PUBLICATION, body),
      );
      await store.refresh();
      if (input.base !== store.version()) throw changedMeanwhile();
      const content = withoutDefaults(input.content);
      const plans = versionPlans(content, resources.site.installed.plans);
      await printPages({ content, ...(plans && { plans }) }, ['home']);
      if (plans !== undefined) await makePrices(plans.sold);
      const version = await asOperator(resources, caller, 'publish-content', async (queries) => {
        const { id } = await queries.one('select operator.publish_site($1, $2, $3, $4) as id', [
          input.base,
          JSON.stringify(content),
          plans === undefined ? null : JSON.stringify(plans),
          input.note,
        ]);
        if (id !== null) await queries.one('select operator.keep_site_draft(0, null)');
        return id;
      });
      if (version === null) throw changedMeanwhile();
      await store.refresh();
      await writeAllowances(resources);
      return { version };
    },
  });

  async function makePrices(plans: Parameters<typeof syncPrices>[2]): Promise<void> {
    await syncPrices(resources, payments, plans).catch((error: unknown) => {
      throw new ServiceError(
        502,
        'prices_failed',
        'The prices could not be made at the payment provider, so nothing was published. Please try again.',
        { cause: error },
      );
    });
  }
}

const PUBLICATION = z.object({
  content: CONTENT_RULES,
  base: z.int().min(0),
  note: z.string().trim().max(300).default(''),
});

const changedMeanwhile = (): ServiceError =>
  new ServiceError(
    409,
    'changed_meanwhile',
    'Somebody else has published since you began. Your draft is kept: load the page again and choose.',
  );
