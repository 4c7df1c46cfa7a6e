import { z } from 'zod';
import type { OutboundReply } from '../../resources/outbound-http/outbound-http.ts';
import type { NewsItem } from './list-news.contract.ts';

const MOST_ITEMS = 20;
const LONGEST_TITLE = 200;
const LONGEST_CONTENT = 600;
/** More of an element is not looked at: taking markup out costs time that grows faster than the text. */
const LONGEST_RAW = 20_000;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

const JSON_FEED = z.object({
  items: z.array(
    z.object({
      title: z.string().optional(),
      url: z.string().optional(),
      date_published: z.string().optional(),
      summary: z.string().optional(),
      content_text: z.string().optional(),
      content_html: z.string().optional(),
    }),
  ),
});

/** The text of a reply in the encoding that it names: in its header, its XML declaration, or none, which is UTF-8. */
export function feedText({ body, headers }: Pick<OutboundReply, 'body' | 'headers'>): string {
  const declared =
    /charset="?([\w-]+)/i.exec(headers['content-type'] ?? '')?.[1] ??
    /^<\?xml[^>]*encoding=["']([\w-]+)["']/i.exec(body.subarray(0, 200).toString('latin1'))?.[1];
  try {
    return new TextDecoder(declared ?? 'utf-8').decode(body);
  } catch {
    // A name that nobody knows.
    return new TextDecoder().decode(body);
  }
}

/**
 * The items of an RSS, Atom or JSON feed, as plain text. An item without a title, a date or an
 * http(s) address is left out.
 *
 * @throws Error when it is none of the three
 */
export function readFeed(text: string): NewsItem[] {
  const raw = text.trimStart().startsWith('{') ? readJson(text) : readXml(text);
  return raw.flatMap(asItem).slice(0, MOST_ITEMS);
}

interface RawItem {
  readonly title: string;
  readonly date: string;
  readonly content: string;
  readonly url: string;
}

function readJson(text: string): RawItem[] {
  return JSON_FEED.parse(JSON.parse(text)).items.map((item) => ({
    title: item.title ?? '',
    date: item.date_published ?? '',
    content: item.summary ?? item.content_text ?? item.content_html ?? '',
    url: item.url ?? '',
  }));
}

function readXml(text: string): RawItem[] {
  if (!/<(rss|feed|rdf:RDF)[\s>]/.test(text)) throw new Error('the reply is no feed');
  return text
    .split(/<(?:item|entry)[\s>]/)
    .slice(1, MOST_ITEMS + 1)
    .map((item) => ({
      title: element(item, 'title'),
      date:
        element(item, 'pubDate') ||
        element(item, 'published') ||
        element(item, 'updated') ||
        element(item, 'dc:date'),
      content: element(item, 'description') || element(item, 'summary') || element(item, 'content'),
      url: element(item, 'link') || atomLink(item),
    }));
}

/** Text of the first element of that name, without its markup's first layer. */
function element(item: string, name: string): string {
  const opened = item.search(new RegExp(`<${name}[\\s>]`));
  const closed = opened === -1 ? -1 : item.indexOf(`</${name}>`, opened);
  if (closed === -1) return '';
  const inner = item.slice(item.indexOf('>', opened) + 1, closed).trim();
  const literal = /^<!\[CDATA\[([\s\S]*?)\]\]>$/.exec(inner)?.[1];
  return literal ?? decodeEntities(inner);
}

function atomLink(item: string): string {
  const links = item.match(/<link\s[^<>]*>/g) ?? [];
  const chosen =
    links.find((link) => /rel=["']alternate["']/.test(link)) ?? links.find((link) => !/rel=/.test(link));
  return decodeEntities(/href=["']([^"']*)["']/.exec(chosen ?? '')?.[1] ?? '');
}

function asItem({ title, date, content, url }: RawItem): NewsItem[] {
  const at = new Date(date);
  const address = URL.parse(url.trim());
  const name = plainText(title, LONGEST_TITLE);
  if (name === '' || Number.isNaN(at.getTime()) || !/^https?:$/.test(address?.protocol ?? '')) return [];
  return [
    {
      title: name,
      date: at.toISOString(),
      content: plainText(content, LONGEST_CONTENT),
      url: address?.href ?? '',
    },
  ];
}

/** Words only: no markup, no control characters, at most `longest` characters. */
function plainText(text: string, longest: number): string {
  const words = decodeEntities(
    text
      .slice(0, LONGEST_RAW)
      .replace(/<(script|style)[\s>][\s\S]*?<\/\1>/gi, ' ')
      // An unclosed one reaches to the end.
      .replace(/<[a-z!/?][^<>]*(>|$)/gi, ' '),
  )
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return words.length <= longest ? words : `${words.slice(0, longest - 1).trimEnd()}…`;
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi,
    (whole, decimal, hexadecimal, name) => {
      if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
}
