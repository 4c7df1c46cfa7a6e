/** The possible targets of references on a Markdown page. */
export interface Page {
  /** Numbers of headings, such as `3` and `2.1`. */
  readonly sections: ReadonlySet<string>;
  /** Anchors of headings as GitHub makes them, and explicit anchors. */
  readonly anchors: ReadonlySet<string>;
}

/** Reads headings and anchors; code blocks are skipped. */
export function pageOf(text: string): Page {
  const prose = withoutCodeBlocks(text);
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  const sections = headings.flatMap((heading) => /^(\d+(?:\.\d+)*)\.? /.exec(heading)?.[1] ?? []);
  const byHand = [...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  return { sections: new Set(sections), anchors: new Set([...slugsOf(headings), ...byHand]) };
}

/** Targets of the links on a page, including pictures; code is skipped. */
export function linksOf(text: string): string[] {
  const prose = withoutCodeBlocks(text).replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

function withoutCodeBlocks(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '');
}

/** GitHub's anchors: lower case, no punctuation, hyphens for spaces, numbered when repeated. */
function slugsOf(headings: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}
