import { Fragment } from 'react';
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
