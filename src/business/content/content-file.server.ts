import { stringify } from 'yaml';
import { programFile } from '../../kernel/concurrency/program-file.ts';
import { askOnce } from '../../kernel/concurrency/worker-client.server.ts';
import { SPECIFIED_COLOURS } from '../../kernel/contract/colour-mixing.ts';
import { LEGAL_TEXTS } from '../../kernel/contract/legal-texts.ts';
import { PAGE_TEXTS } from '../../kernel/contract/page-texts.ts';
import { SPECIFIED_PLANS, USUAL_CURRENCY } from '../../kernel/contract/plans.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import {
  offeredServices,
  SECTIONS,
  type SiteContent,
  SPECIFIED_SERVICES,
  SPECIFIED_TIER,
  USUAL_CALL_MINUTES,
} from '../../kernel/contract/site-content.ts';
import { SITE_TEXTS } from '../../kernel/contract/site-texts.ts';
import type { ParsedFile } from './content-file-process.server.ts';
import { sitePlan } from './site-plan.contract.ts';

const ENTRY = programFile('src/business/content/content-file-process.server.ts');
/** The product's own file takes some 20 ms. */
const PATIENCE_MS = 5_000;
const HEAP_MB = 128;

const HEAD = ` The content of the site, whole. Change it, import it at the console under Site, look at it, publish it.
 Prices are per month in the smallest unit of the currency, whatever its name: pence, cents, yen. Colours are #rrggbb; sections are shown in this order.`;

/** `site.yaml`: everything that can be made one's own, as it is in force. */
export function writeContentFile(content: SiteContent, brand: NonNullable<SiteContent['brand']>): string {
  const whole: Required<Omit<SiteContent, 'logo'>> & Pick<SiteContent, 'logo'> = {
    brand: content.brand ?? brand,
    colours: content.colours ?? SPECIFIED_COLOURS,
    ...(content.logo && { logo: content.logo }),
    sections: content.sections ?? SECTIONS,
    services: (content.services ?? SPECIFIED_SERVICES).map((service) => ({
      ...service,
      callMinutes: service.callMinutes ?? USUAL_CALL_MINUTES,
    })),
    enquiryServices: content.enquiryServices ?? offeredServices(content),
    currency: content.currency ?? USUAL_CURRENCY,
    quotedTier: content.quotedTier ?? SPECIFIED_TIER,
    plans: content.plans ?? SPECIFIED_PLANS.map(sitePlan),
    texts: { ...SITE_TEXTS, ...content.texts },
    pages: { ...PAGE_TEXTS, ...content.pages },
    legal: { ...LEGAL_TEXTS, ...content.legal },
  };
  const comment = HEAD.split('\n')
    .map((sentence) => `#${sentence}\n`)
    .join('');
  return comment + stringify(whole, { lineWidth: 100 });
}

/**
 * What a `site.yaml` says, unchecked. A process of its own reads it and is ended after five seconds.
 *
 * @throws ServiceError 400 `not_yaml` with the place, `file_too_complex`
 */
export async function readContentFile(text: string): Promise<unknown> {
  const parsed = await askOnce<{ text: string }, ParsedFile>(
    ENTRY,
    { text },
    { patienceMs: PATIENCE_MS, heapMb: HEAP_MB },
  ).catch(() => {
    throw new ServiceError(
      400,
      'file_too_complex',
      'This file takes too long to read. Export site.yaml again and change that copy.',
    );
  });
  if ('value' in parsed) return parsed.value;
  throw new ServiceError(400, 'not_yaml', `This file cannot be read as YAML: ${parsed.complaint}`);
}
