import { Fragment, type ReactNode } from 'react';
import { site, withSite } from '../brand.ts';

/** A sentence of the agency; a mail address in it becomes a link. */
export function Written({ text }: { text: string }) {
  return text.split('{contactEmail}').map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change places.
    <Fragment key={index}>
      {index === 0 ? null : <a href={`mailto:${site.contactEmail}`}>{site.contactEmail}</a>}
      {withSite(part)}
    </Fragment>
  ));
}

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
    const heading = { key: `${at} heading`, element: <h2>{withSite(first.slice(3))}</h2> };
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
