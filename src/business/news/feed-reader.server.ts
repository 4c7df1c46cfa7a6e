import {
  COMMON_HTML,
  EntityDecoder,
  LATIN_ACCENTS,
  LATIN_EXTENDED,
  PUNCTUATION,
  XML,
} from '@nodable/entities';
import { childElements, descendants, readXml, textContent, type XmlElement } from '@northline/xml/xml-reader';
import { z } from 'zod';
import type { OutboundReply } from '../../kernel/resources/outbound-http/outbound-http.ts';
import type { NewsItem } from './news-list.contract.ts';

/** Larger feeds are refused. */
export const MAX_FEED_BYTES = 2 * 1024 * 1024;

const MOST_ITEMS = 20;
const LONGEST_TITLE = 200;
const LONGEST_CONTENT = 600;
/**
 * The rest of a longer element is ignored, because the time for removing markup grows faster than the text.
 */
const LONGEST_RAW = 20_000;
/** For entities that remain after the feed's own layer is decoded, because its text is often HTML. */
const decoder = new EntityDecoder({
  namedEntities: { ...XML, ...COMMON_HTML, ...PUNCTUATION, ...LATIN_ACCENTS, ...LATIN_EXTENDED },
  numericAllowed: true,
});

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

/** The text of a reply in the encoding that its header or its XML declaration names; UTF-8 otherwise. */
export function feedText({ body, headers }: Pick<OutboundReply, 'body' | 'headers'>): string {
  const declared =
    /charset="?([\w-]+)/i.exec(headers['content-type'] ?? '')?.[1] ??
    /^<\?xml[^>]*encoding=["']([\w-]+)["']/i.exec(body.subarray(0, 200).toString('latin1'))?.[1];
  try {
    return new TextDecoder(declared ?? 'utf-8').decode(body);
  } catch {
    // An unknown encoding: read as UTF-8.
    return new TextDecoder().decode(body);
  }
}

/**
 * The items of an RSS, Atom or JSON feed, as plain text. An item without a title, a date or an http(s)
 * address is left out.
 *
 * @throws Error for any other format, XmlError when it is not well-formed or declares entities
 */
export function readFeed(text: string): NewsItem[] {
  const raw = text.trimStart().startsWith('{') ? readJson(text) : readXmlFeed(text);
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

function readXmlFeed(text: string): RawItem[] {
  const root = readXml(text, { maxBytes: MAX_FEED_BYTES, htmlEntities: true, documentType: true });
  if (!['rss', 'feed', 'RDF'].includes(root.name)) throw new Error('the reply is no feed');
  return descendants(root, root.name === 'feed' ? 'entry' : 'item')
    .slice(0, MOST_ITEMS)
    .map((item) => ({
      title: firstText(item, 'title'),
      date: firstText(item, 'pubDate', 'published', 'updated', 'date'),
      content: firstText(item, 'description', 'summary', 'content'),
      url: firstText(item, 'link') || atomLink(item),
    }));
}

/** Text of the first child with a text, by the names in order. */
function firstText(item: XmlElement, ...names: readonly string[]): string {
  return (
    names
      .flatMap((name) => childElements(item, name))
      .map((child) => textContent(child).trim())
      .find((text) => text !== '') ?? ''
  );
}

function atomLink(item: XmlElement): string {
  const links = childElements(item, 'link').map(({ attributes }) => attributes);
  const chosen =
    links.find((link) => link.get('rel') === 'alternate') ?? links.find((link) => !link.has('rel'));
  return chosen?.get('href') ?? '';
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

/** The text only: no markup, no control characters, at most `longest` characters. */
function plainText(text: string, longest: number): string {
  const words = decoder
    .decode(
      text
        .slice(0, LONGEST_RAW)
        .replace(/<(script|style)[\s>][\s\S]*?<\/\1>/gi, ' ')
        // A tag that is never closed reaches to the end.
        .replace(/<[a-z!/?][^<>]*(>|$)/gi, ' '),
    )
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return words.length <= longest ? words : `${words.slice(0, longest - 1).trimEnd()}…`;
}
