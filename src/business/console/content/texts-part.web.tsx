import { LEGAL_TEXTS } from '../../../kernel/contract/legal-texts.ts';
import { PAGE_TEXTS } from '../../../kernel/contract/page-texts.ts';
import { slugOf } from '../../../kernel/contract/service-pages.ts';
import { SPECIFIED_SERVICES } from '../../../kernel/contract/site-content.ts';
import { SITE_TEXTS, type SiteTextPlace } from '../../../kernel/contract/site-texts.ts';
import type { PartProps } from './content-page.web.tsx';
import { WrittenField } from './editor-fields.web.tsx';

const GROUPS: readonly [prefix: string, heading: string][] = [
  ['home', 'Title and description, for search engines'],
  ['hero', 'Opening'],
  ['map', 'Map and sample morning of the opening (a comma begins the small words)'],
  ['values', 'Values'],
  ['services', 'Services'],
  ['launcher', 'Course launcher'],
  ['courses', 'Course plans'],
  ['documents', 'Document plans'],
  ['phone', 'Phone system'],
  ['news', 'News'],
  ['foot', 'Foot of every page'],
];
const PLACES = Object.keys(SITE_TEXTS) as SiteTextPlace[];
const LONG = 70;

const placeName = (place: SiteTextPlace): string => {
  const words = place.split('.').slice(1).join(', ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Every sentence of the home page that can be put in other words. */
export function TextsPart({ draft, change }: PartProps) {
  return (
    <>
      <p className="meta">
        {'{brand}'} stands for your name and {'{contactEmail}'} for your address. {'{currency}'} stands for
        the word for your currency.
      </p>
      {GROUPS.map(([prefix, heading]) => (
        <section key={prefix} className="site-group">
          <h2>{heading}</h2>
          {PLACES.filter((place) => place.startsWith(`${prefix}.`)).map((place) => (
            <WrittenField
              key={place}
              label={placeName(place)}
              {...(SITE_TEXTS[place].length > LONG && { rows: 3 })}
              value={draft.texts?.[place] ?? SITE_TEXTS[place]}
              onWrite={(text) => change({ texts: { ...draft.texts, [place]: text } })}
            />
          ))}
        </section>
      ))}
    </>
  );
}

const OWN_PAGES = [
  ['about', 'About'],
  ['faq', 'Questions and answers'],
  ['help', 'Help'],
  ['changelog', 'What changed'],
] as const;
const SECTION_PAGES = [
  ['course-launcher', 'Personal Course Launcher'],
  ['document-analysis', 'Document Analysis'],
] as const;

/** The pages behind the home page: of each service, and about the agency. */
export function PagesPart({ draft, change }: PartProps) {
  const cards = (draft.services ?? SPECIFIED_SERVICES).flatMap(({ name }) =>
    slugOf(name) === '' ? [] : [[slugOf(name), name] as const],
  );
  const usual: Readonly<Record<string, string>> = PAGE_TEXTS;
  return (
    <>
      <p className="meta">
        A line that begins with ## is a heading, one with - an item of a list; an empty line ends a paragraph.
        The address of a service's page is made of its name.
      </p>
      {[...cards, ...SECTION_PAGES, ...OWN_PAGES].map(([page, name]) => (
        <WrittenField
          key={page}
          label={name}
          rows={10}
          value={draft.pages?.[page] ?? usual[page] ?? ''}
          onWrite={(text) => change({ pages: { ...draft.pages, [page]: text } })}
        />
      ))}
    </>
  );
}

/** Privacy and terms. */
export function LegalPart({ draft, change }: PartProps) {
  return (
    <>
      <p className="meta">
        A line that begins with ## is a heading, one with - an item of a list; an empty line ends a paragraph.
        The texts that came with it are true of this software; have a lawyer read yours.
      </p>
      {(['privacy', 'terms'] as const).map((page) => (
        <WrittenField
          key={page}
          label={page === 'privacy' ? 'Privacy' : 'Terms'}
          rows={16}
          value={draft.legal?.[page] ?? LEGAL_TEXTS[page]}
          onWrite={(text) => change({ legal: { ...draft.legal, [page]: text } })}
        />
      ))}
    </>
  );
}
