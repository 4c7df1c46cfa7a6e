import { mailColours } from '../../contract/colour-mixing.ts';
import { escapeHtml } from '../../contract/html-escape.ts';
import { holdsName } from '../../contract/site-content.ts';
import type { Agency } from '../resources.ts';

/** One part of a mail's body; `button` holds the main link of the mail. */
export type MailPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'button'; readonly label: string; readonly href: string }
  | { readonly kind: 'code'; readonly code: string }
  /** What somebody wrote before, which the mail answers. */
  | { readonly kind: 'quote'; readonly text: string }
  /** Small text at the end, e.g. how to stop such mails. */
  | { readonly kind: 'link'; readonly text: string; readonly href: string };

/** The colours of mails: the agency's, as on its site. */
interface MailColours {
  readonly page: string;
  readonly card: string;
  readonly ink: string;
  readonly muted: string;
  readonly signal: string;
  /** Words on the signal. */
  readonly onSignal: string;
}
/** For mail programs that follow the reader's colour scheme; others show the inline colours. */
const DARK_STYLE =
  '@media (prefers-color-scheme:dark){.page{background:#0c1424!important}.card{background:#152038!important}.ink{color:#edf1f7!important}.muted,.muted a{color:#b3bccb!important}.code{background:#0c1424!important}}@media (max-width:480px){.card{padding:24px 20px!important}}';

const htmlPart = (part: MailPart, colours: MailColours): string => {
  if (part.kind === 'text')
    return `<p class="ink" style="margin:0 0 16px;color:${colours.ink}">${escapeHtml(part.text)}</p>`;
  if (part.kind === 'quote') {
    return `<blockquote class="muted" style="margin:24px 0 16px;padding:2px 0 2px 16px;border-left:3px solid ${colours.signal};color:${colours.muted}">${escapeHtml(part.text)}</blockquote>`;
  }
  if (part.kind === 'code') {
    return `<p class="ink code" style="margin:0 0 20px;padding:14px 18px;border-radius:8px;background:${colours.page};color:${colours.ink};font:600 28px/1.3 ui-monospace,Consolas,monospace;letter-spacing:4px">${escapeHtml(part.code)}</p>`;
  }
  if (part.kind === 'link') {
    return `<p class="muted" style="margin:24px 0 0;color:${colours.muted};font-size:14px"><a href="${escapeHtml(part.href)}" style="color:${colours.muted}">${escapeHtml(part.text)}</a></p>`;
  }
  // A table of one cell: Outlook draws no padding on links.
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px"><tr><td bgcolor="${colours.signal}" style="border-radius:8px;background:${colours.signal}"><a href="${escapeHtml(part.href)}" style="display:inline-block;padding:14px 24px;color:${colours.onSignal};font-weight:600;text-decoration:none">${escapeHtml(part.label)}</a></td></tr></table>`;
};

const textPart = (part: MailPart): string => {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'quote') return part.text.replace(/^/gm, '> ');
  if (part.kind === 'link') return `${part.text}: ${part.href}`;
  return part.kind === 'code' ? part.code : `${part.label}: ${part.href}`;
};

/** Content-ID of the logo in a mail that carries it. */
export const LOGO_CID = 'logo@brand';
const LOGO_HEIGHT = 40;

/** The agency's logo, which the mail carries with it, or Northline's mark; and the name, unless the logo holds it. */
function headOf({ settings, site }: Agency, colours: MailColours): string {
  const { logo } = site.content;
  const name = escapeHtml(settings.BRAND);
  if (logo === undefined || site.drawnLogo === undefined)
    return `<span style="display:inline-block;width:10px;height:10px;margin-right:10px;border:4px solid ${colours.signal};border-radius:50%"></span>${name}`;
  const width = Math.round((LOGO_HEIGHT * logo.width) / logo.height);
  // On white also in the dark scheme: a logo may be dark itself.
  const picture = `<img src="cid:${LOGO_CID}" width="${Math.min(width, 240)}" alt="${name}" style="display:inline-block;vertical-align:middle;padding:4px;border-radius:6px;background:#ffffff">`;
  return holdsName(logo) ? picture : `${picture} ${name}`;
}

interface MailLook {
  /** Stands above the text in HTML; a text body has only its subject. */
  readonly title?: string;
  /** A BCP 47 tag. */
  readonly language?: string;
}

/**
 * The two bodies of a mail, with the same content, and the agency's name and address at the end. Every text is escaped.
 * Nothing is loaded from elsewhere, so that opening a mail informs no one.
 */
export function mailBody(
  agency: Agency,
  parts: readonly MailPart[],
  { title, language = 'en' }: MailLook = {},
): { text: string; html: string } {
  const { BRAND: brand, CONTACT_EMAIL: address } = agency.settings;
  const colours = mailColours(agency.site.content.colours);
  const heading =
    title === undefined
      ? ''
      : `<h1 class="ink" style="margin:0 0 16px;color:${colours.ink};font-size:24px;line-height:1.25;letter-spacing:-.02em">${escapeHtml(title)}</h1>`;
  return {
    text: `${parts.map(textPart).join('\n\n')}\n\n-- \n${brand}\n${address}\n`,
    html: `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><style>${DARK_STYLE}</style></head>
<body class="page" style="margin:0;padding:0;background:${colours.page}"><table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${colours.page}" style="background:${colours.page}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;font:16px/1.55 Archivo,'Segoe UI',Helvetica,Arial,sans-serif">
<tr><td class="ink" style="padding:0 8px 16px;color:${colours.ink};font-size:19px;font-weight:700;letter-spacing:-.02em">${headOf(agency, colours)}</td></tr>
<tr><td class="card" bgcolor="${colours.card}" style="padding:32px;border-radius:16px;background:${colours.card}">${heading}${parts.map((part) => htmlPart(part, colours)).join('')}</td></tr>
<tr><td class="muted" style="padding:16px 8px 0;color:${colours.muted};font-size:14px">${escapeHtml(brand)}<br><a href="mailto:${escapeHtml(address)}" style="color:${colours.muted}">${escapeHtml(address)}</a></td></tr>
</table></td></tr></table></body></html>`,
  };
}
