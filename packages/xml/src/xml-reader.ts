import { COMMON_HTML, ENTITY_ACTION, EntityDecoder, XML } from '@nodable/entities';
import { XMLParser } from 'fast-xml-parser';

/** One element. Names have no namespace prefix, so documents with different prefixes are read alike. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Elements and text in document order; CDATA sections are text, comments and instructions are left out. */
  readonly children: readonly (XmlElement | string)[];
}

/** The limits beyond which a document is refused. */
export interface XmlLimits {
  readonly maxBytes: number;
  /** Levels of elements; 64 unless given. */
  readonly maxDepth?: number;
  /** Decode the common HTML names such as `&nbsp;`, which feeds use without declaring them. */
  readonly htmlEntities?: boolean;
  /** Accept a document type that declares no entities, as RSS 0.91 has; refused unless given. */
  readonly documentType?: boolean;
}

/** A document is not well-formed or exceeds a limit; the message says which, without quoting the document. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
}

const DEFAULT_DEPTH = 64;

/**
 * Reads a whole XML 1.0 document. It never expands entities that the document declares, and fetches nothing
 * (OWASP ASVS 1.5.1).
 *
 * @returns the root element
 * @throws XmlError when it is not well-formed, declares entities, or is larger or deeper than allowed
 */
export function readXml(text: string, limits: XmlLimits): XmlElement {
  if (Buffer.byteLength(text) > limits.maxBytes) throw new XmlError('the document is too large');
  const root = asChildren(parse(text, limits)).filter((child) => typeof child !== 'string');
  const [only] = root;
  if (only === undefined || root.length > 1) throw new XmlError('the document has no single root element');
  return only;
}

/** The child elements of that name, in document order. */
export function childElements(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => typeof child !== 'string').filter((child) => child.name === name);
}

/** All elements of that name below this one, in document order. */
export function descendants(element: XmlElement, name: string): XmlElement[] {
  return element.children
    .filter((child) => typeof child !== 'string')
    .flatMap((child) => (child.name === name ? [child] : []).concat(descendants(child, name)));
}

/** All the text inside an element, as XPath's `string()` gives it; '' for no element. */
export function textContent(element: XmlElement | undefined): string {
  return (element?.children ?? [])
    .map((child) => (typeof child === 'string' ? child : textContent(child)))
    .join('');
}

function parse(text: string, { maxDepth, htmlEntities, documentType }: XmlLimits): readonly ParsedNode[] {
  const decoder = new EntityDecoder({
    namedEntities: htmlEntities === true ? { ...XML, ...COMMON_HTML } : XML,
    numericAllowed: true,
    onInputEntity: () => ENTITY_ACTION.THROW,
  });
  // The only place at which the parser passes on the declarations of a document type.
  const entityDecoder = Object.assign(decoder, {
    addInputEntities: (declared: Record<string, string>) => {
      if (documentType !== true) throw new XmlError('the document has a document type');
      if (Object.keys(declared).length > 0) throw new XmlError('the document declares entities');
    },
  });
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    removeNSPrefix: true,
    parseTagValue: false,
    trimValues: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    maxNestedTags: maxDepth ?? DEFAULT_DEPTH,
    entityDecoder,
  });
  try {
    return parser.parse(text.replace(/^\uFEFF/, ''), true);
  } catch (error) {
    if (error instanceof XmlError) throw error;
    throw new XmlError('the document is not well-formed XML', { cause: error });
  }
}

/** The parser's ordered form: `{ '#text': … }` or `{ name: […], ':@': attributes }`. */
type ParsedNode = Readonly<Record<string, unknown>>;

function asChildren(nodes: readonly ParsedNode[]): (XmlElement | string)[] {
  return nodes.map((node) => {
    const text = node['#text'];
    if (text !== undefined) return String(text);
    const name = Object.keys(node).find((key) => key !== ':@') ?? '';
    const attributes = new Map(Object.entries((node[':@'] ?? {}) as Record<string, string>));
    return { name, attributes, children: asChildren(node[name] as readonly ParsedNode[]) };
  });
}
