import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { measureCosts } from './measure-costs.ts';
import type { Costs } from './scale-model.ts';
import { withTables } from './scale-report.ts';

// `npm run bench:scale` writes the tables of docs/scale.md from the stored costs. `-- --measure` measures
// them first (two minutes), on a machine without other load.
const COSTS = path.join(import.meta.dirname, 'costs.json');
const PAGE = path.join(import.meta.dirname, '..', '..', 'docs', 'scale.md');
const words = process.argv.slice(2);
if (words.some((word) => word !== '--measure')) throw new Error('Say --measure, or nothing.');
if (words.includes('--measure')) writeFileSync(COSTS, `${JSON.stringify(await measureCosts(), null, 2)}\n`);
if (!existsSync(COSTS)) throw new Error('Nothing was measured yet: say --measure.');
const costs = JSON.parse(readFileSync(COSTS, 'utf8')) as Costs;
writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), costs));
console.log(`docs/scale.md has the costs of ${costs.measuredOn} (${costs.machine}, load ${costs.load}).`);
