/** A part of a mail. */
interface MailPart {
  readonly name?: string;
  readonly type: string;
  readonly content: string | Buffer;
  /** Shown inside the text, such as a logo. */
  readonly isInline?: boolean;
}

/** A mail to write. */
interface WrittenMail {
  readonly from: string;
  readonly to: string;
  readonly subject?: string;
  readonly id?: string;
  readonly text?: string;
  readonly parts?: readonly MailPart[];
  /** Further headers, above the others as mail servers write them. */
  readonly headers?: readonly string[];
}

/** The name of the mail server that the tests trust. */
export const AUTH_HOST = 'mx.agency.example';

/** The header in which that server confirms the sender. */
export const confirmed = (from: string): string =>
  `Authentication-Results: ${AUTH_HOST}; spf=pass smtp.mailfrom=${from}; dmarc=pass header.from=${from.split('@')[1]}`;

/** Writes a mail as a mail server delivers it: with its result about the sender unless `headers` has another. */
export function writeMail({
  from,
  to,
  subject = 'Bills',
  id = '<1@sender.example>',
  text = 'See below.',
  parts = [],
  headers,
}: WrittenMail): string {
  const head = [
    ...(headers ?? [confirmed(from)]),
    `From: Ada <${from}>`,
    `To: ${to}`,
    `Subject: ${subject}`,
    'Date: Fri, 27 Nov 2026 09:00:00 +0000',
    ...(id === '' ? [] : [`Message-ID: ${id}`]),
    'MIME-Version: 1.0',
  ];
  if (parts.length === 0)
    return [...head, 'Content-Type: text/plain; charset=utf-8', '', text, ''].join('\r\n');
  const body = parts.map(({ name, type, content, isInline = false }) =>
    [
      `Content-Type: ${type}${name === undefined ? '' : `; name="${name}"`}`,
      `Content-Disposition: ${isInline ? 'inline' : 'attachment'}${name === undefined ? '' : `; filename="${name}"`}`,
      ...(isInline ? ['Content-ID: <picture@sender.example>'] : []),
      ...(type === 'message/rfc822'
        ? ['', content.toString()]
        : [
            'Content-Transfer-Encoding: base64',
            '',
            Buffer.from(content)
              .toString('base64')
              .replace(/(.{76})/g, '$1\r\n'),
          ]),
    ].join('\r\n'),
  );
  const kind = parts.some(({ isInline }) => isInline) ? 'related' : 'mixed';
  return [
    ...head,
    `Content-Type: multipart/${kind}; boundary="the-border-of-${parts.length}-${text.length}"`,
    '',
    `--the-border-of-${parts.length}-${text.length}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    text,
    ...body.flatMap((part) => [`--the-border-of-${parts.length}-${text.length}`, part]),
    `--the-border-of-${parts.length}-${text.length}--`,
    '',
  ].join('\r\n');
}
