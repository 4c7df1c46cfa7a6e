import { parse, stringify } from 'yaml';
import { SPECIFIED_COLOURS } from '../../kernel/contract/colour-mixing.ts';
import { LEGAL_TEXTS } from '../../kernel/contract/legal-texts.ts';
import { PAGE_TEXTS } from '../../kernel/contract/page-texts.ts';
import { SPECIFIED_PLANS } from '../../kernel/contract/plans.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { offeredServices, SECTIONS, type SiteContent, SPECIFIED_SERVICES } from '../../kernel/contract/site-content.ts';
import { SITE_TEXTS } from '../../kernel/contract/site-texts.ts';
import { sitePlan } from './site-plan.contract.ts';

const HEAD = ` The content of the site, whole. Change it, import it at the console under Site, look at it, publish it.
 Prices are pence a month; colours are #rrggbb; sections are shown in this order.`;

/** `site.yaml`: everything that can be made one's own, as it is in force. */
export function writeContentFile(content: SiteContent, brand: NonNullable<SiteContent['brand']>): string {
  const whole: Required<SiteContent> = {
    brand: content.brand ?? brand,
    colours: content.colours ?? SPECIFIED_COLOURS,
    sections: content.sections ?? SECTIONS,
    services: content.services ?? SPECIFIED_SERVICES,
    enquiryServices: content.enquiryServices ?? offeredServices(content),
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

/** What a `site.yaml` says, unchecked. @throws ServiceError 400 `not_yaml` with the place */
export function readContentFile(text: string): unknown {
  try {
    // No aliases: a small file could stand for an endless one.
    return parse(text, { maxAliasCount: 0, prettyErrors: true });
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    throw new ServiceError(400, 'not_yaml', `This file cannot be read as YAML: ${reason}`);
  }
}
