/** How the page can show a file; undefined when only other programs can. */
export function previewKind(fileName: string): 'pdf' | 'picture' | 'text' | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? '';
  if (ending === 'pdf') return 'pdf';
  if (ending === 'txt') return 'text';
  return ['png', 'jpg', 'jpeg', 'webp', 'gif'].includes(ending) ? 'picture' : undefined;
}
