/** One part of a mail's body; `button` is the one address that the mail is about. */
export type MailPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'button'; readonly label: string; readonly href: string }
  | { readonly kind: 'code'; readonly code: string }
  /** Small, at the end, e.g. how to get no more of these. */
  | { readonly kind: 'link'; readonly text: string; readonly href: string };

const REPLACEMENTS: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in HTML, also inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => REPLACEMENTS[character] ?? '');
}

const htmlPart = (part: MailPart): string => {
  if (part.kind === 'text') return `<p style="margin:0 0 16px">${escapeHtml(part.text)}</p>`;
  if (part.kind === 'code') {
    return `<p style="margin:0 0 16px;font:600 28px/1.3 monospace;letter-spacing:4px">${escapeHtml(part.code)}</p>`;
  }
  if (part.kind === 'link') {
    return `<p style="margin:24px 0 0;color:#5a6478;font-size:14px"><a href="${escapeHtml(part.href)}" style="color:#5a6478">${escapeHtml(part.text)}</a></p>`;
  }
  return `<p style="margin:0 0 16px"><a href="${escapeHtml(part.href)}" style="display:inline-block;padding:12px 20px;background:#16213a;color:#ffffff;text-decoration:none;border-radius:4px">${escapeHtml(part.label)}</a></p>`;
};

const textPart = (part: MailPart): string => {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'link') return `${part.text}: ${part.href}`;
  return part.kind === 'code' ? part.code : `${part.label}: ${part.href}`;
};

/**
 * The two bodies of a mail, saying the same. Every text is escaped; nothing is
 * loaded from elsewhere, so that opening a mail tells nobody. `language` is a BCP 47 tag.
 */
export function mailBody(
  brand: string,
  parts: readonly MailPart[],
  language = 'en',
): { text: string; html: string } {
  return {
    text: `${parts.map(textPart).join('\n\n')}\n\n-- \n${brand}\n`,
    html: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"></head><body style="margin:0;padding:24px;font:16px/1.5 sans-serif;color:#16213a;background:#ffffff"><div style="max-width:560px">${parts.map(htmlPart).join('')}<p style="margin:24px 0 0;color:#5a6478;font-size:14px">${escapeHtml(brand)}</p></div></body></html>`,
  };
}
