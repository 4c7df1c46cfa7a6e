import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

interface Component {
  readonly purl?: string;
  externalReferences?: { type: string }[];
}
interface Bill {
  serialNumber: string;
  metadata: { timestamp: string; component?: Component };
  components: Component[];
}

/** Oldest npm that writes a bill of materials. */
const NPM_MAJOR = 10;

/**
 * The bill of materials of the production packages, CycloneDX JSON, which npm makes from the lock file. Its
 * serial number and time follow from its content, so that two builds have the same. The origins of packages
 * are left out.
 *
 * @param epoch time of the release, seconds since 1970
 * @throws Error with a sentence when npm is too old
 */
export function billOfMaterials(root: string, epoch: number): string {
  const npm = (...words: string[]): string =>
    execFileSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (Number(npm('--version').split('.')[0]) < NPM_MAJOR)
    throw new Error(`A release needs npm ${NPM_MAJOR} or newer for its bill of materials.`);
  const bill = JSON.parse(
    npm('sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', '--package-lock-only'),
  ) as Bill;
  for (const component of [bill.metadata.component ?? {}, ...bill.components]) {
    const kept = component.externalReferences?.filter(({ type }) => type !== 'distribution');
    if (kept === undefined || kept.length === 0) delete component.externalReferences;
    else component.externalReferences = kept;
  }
  bill.metadata.timestamp = new Date(epoch * 1000).toISOString();
  bill.serialNumber = '';
  const hash = createHash('sha256').update(JSON.stringify(bill)).digest('hex');
  bill.serialNumber = `urn:uuid:${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  return `${JSON.stringify(bill, null, 1)}\n`;
}
