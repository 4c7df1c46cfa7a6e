import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';

/**
 * The sources that rely on each trigger: one of their docstrings says `@trigger private.uploads
 * claim_credit`.
 *
 * @returns files relative to the root, sorted, by `schema.table trigger`
 */
export function triggerReferences(): Map<string, string[]> {
  const references = new Map<string, string[]>();
  for (const file of globSync('src/**/*.{ts,tsx}', { cwd: PROJECT_ROOT }).sort()) {
    const text = readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
    for (const [, trigger = ''] of text.matchAll(/^\s*\* @trigger (\S+ \S+)$/gm)) {
      const files = references.get(trigger) ?? [];
      if (!files.includes(file)) references.set(trigger, [...files, file]);
    }
  }
  return references;
}
