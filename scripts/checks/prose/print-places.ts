import { countByArea, findPlaces } from './prose-count.ts';

// `node scripts/checks/prose/print-places.ts src/voice`: every place below a path that tests/prose.test.ts counts,
// then the counts by area and pattern.
const [under = ''] = process.argv.slice(2);
const { patterns: refused, retired } = findPlaces();
const places = [...refused, ...retired].filter(({ at }) => at.startsWith(under));
for (const { pattern, at, text } of places) process.stdout.write(`${at}: ${pattern}: ${text}\n`);
for (const [area, count] of Object.entries(countByArea(places)).sort()) {
  const patterns = countByArea(
    places.filter((one) => one.area === area).map((one) => ({ ...one, area: one.pattern })),
  );
  const parts = Object.entries(patterns).map(([pattern, times]) => `${pattern} ${times}`);
  process.stdout.write(`${area}: ${count} (${parts.join(', ')})\n`);
}
