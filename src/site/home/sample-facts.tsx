import { SAMPLE_FACTS } from '../../business/documents/sharing/sample-report.contract.ts';
import { PAGES } from '../../kernel/contract/routes.ts';

/** The first facts of the sample report, and a link to the rest. */
export function SampleFacts() {
  return (
    <figure className="course sample-facts">
      <figcaption>
        <b>Assured shorthold tenancy agreement</b>
        <span>A sample document, 2 pages</span>
      </figcaption>
      <dl>
        {SAMPLE_FACTS.map(({ label, value, page }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
            <dd className="num">p. {page}</dd>
          </div>
        ))}
      </dl>
      <p>
        <a href={PAGES.sampleReport.path}>The whole report</a>
      </p>
    </figure>
  );
}
