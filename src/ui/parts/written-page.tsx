import { Fragment, type ReactNode } from 'react';
import { withSite } from '../brand.ts';
import type { IndexedPart } from './side-index.tsx';
import { Written } from './written-text.tsx';

/** The headings of a page of the agency, for an index of it. */
export const headingsOf = (text: string): IndexedPart[] =>
  [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => ({
    id: headingId(heading),
    title: withSite(heading),
  }));

/** The fragment of a heading's address: `text-may-i-cancel-a-plan`. */
const headingId = (heading: string): string =>
  ['text', ...(heading.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])].join('-');

/** A page of the agency: `## ` begins a heading, `- ` a list item; an empty line separates paragraphs. */
export function WrittenPage({ text }: { text: string }) {
  return text
    .split(/\n\s*\n/)
    .flatMap(partsOf)
    .map(({ key, element }) => <Fragment key={key}>{element}</Fragment>);
}

function partsOf(block: string, at: number): { key: string; element: ReactNode }[] {
  const lines = block.trim().split('\n');
  const [first = ''] = lines;
  if (first === '') return [];
  if (first.startsWith('## ')) {
    const words = first.slice(3);
    const element = (
      <h2 id={headingId(words)} tabIndex={-1}>
        {withSite(words)}
      </h2>
    );
    const heading = { key: `${at} heading`, element };
    return lines.length === 1 ? [heading] : [heading, ...partsOf(lines.slice(1).join('\n'), at)];
  }
  if (!lines.every((line) => line.startsWith('- ')))
    return [
      {
        key: `${at}`,
        element: (
          <p>
            <Written text={lines.join(' ')} />
          </p>
        ),
      },
    ];
  const items = lines.map((line) => line.slice(2));
  const list = (
    <ul>
      {items.map((item) => (
        <li key={item}>
          <Written text={item} />
        </li>
      ))}
    </ul>
  );
  return [{ key: `${at}`, element: list }];
}
