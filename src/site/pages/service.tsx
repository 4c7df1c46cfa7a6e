import './inner-pages.css';
import { useLocation } from 'wouter';
import { pageText } from '../../kernel/contract/page-texts.ts';
import { BOOK_PATH, PAGES } from '../../kernel/contract/routes.ts';
import { type ServicePage as Service, servicePages } from '../../kernel/contract/service-pages.ts';
import { site } from '../../ui/brand.ts';
import { ButtonLink } from '../../ui/parts/button.tsx';
import { WrittenPage } from '../../ui/parts/written-page.tsx';
import { SampleCallPlayer } from '../../voice/site/sample-call.web.tsx';
import { TestNow } from '../../voice/site/test-now.web.tsx';
import { PageShell } from '../frame/page-shell.tsx';
import { SampleCourse } from '../home/course-launcher.tsx';
import { SampleFacts } from '../home/sample-facts.tsx';
import { ServiceScene, serviceLine } from '../home/services.tsx';
import NotFoundPage from './not-found.tsx';

/** The page of one service, with a sample to try. */
export default function ServicePage() {
  const [path] = useLocation();
  const services = servicePages(site.content);
  const service = services.find((one) => one.path === path);
  if (service === undefined) return <NotFoundPage />;
  return (
    <PageShell className={`service ${lineOf(service)}`}>
      <nav className="way-back" aria-label="Breadcrumb">
        <a href="/#services">← Services</a>
      </nav>
      <div className="service-head">
        <div>
          <h1>{service.name}</h1>
          <p className="intro">{service.lead}</p>
          <p className="service-acts">
            <NextSteps service={service} />
          </p>
        </div>
        <Sample service={service} />
      </div>
      <div className="prose service-text">
        <WrittenPage text={pageText(site, service.slug)} />
      </div>
      <nav className="service-others" aria-label="Other services">
        <h2>What we do beside it</h2>
        <ul>
          {services
            .filter((one) => one !== service)
            .map(({ slug, path: other, name }) => (
              <li key={slug}>
                <a href={other}>{name}</a>
              </li>
            ))}
        </ul>
      </nav>
    </PageShell>
  );
}

const lineOf = ({ picture }: Service): string =>
  picture === 'course' ? 'c-courses' : picture === 'report' ? 'c-docs' : serviceLine(picture);

/** Services with a price lead to it; the others lead to an enquiry. */
function NextSteps({ service }: { service: Service }) {
  return (
    <>
      <FirstStep service={service} />
      {service.callMinutes > 0 && <a href={`${BOOK_PATH}/${service.slug}`}>Book a call</a>}
    </>
  );
}

function FirstStep({ service: { picture, enquiry } }: { service: Service }) {
  const query = enquiry === undefined ? '' : `?service=${encodeURIComponent(enquiry)}`;
  if (picture === 'report') {
    return (
      <>
        <ButtonLink look="signal" href={PAGES.sampleReport.path}>
          Open a sample report
        </ButtonLink>
        <a href="/#documents">See the plans</a>
      </>
    );
  }
  if (picture === 'course') {
    return (
      <>
        <ButtonLink look="signal" href={PAGES.courseInquiry.path}>
          Enquire Now
        </ButtonLink>
        <a href="/#courses">See the plans</a>
      </>
    );
  }
  return (
    <>
      <ButtonLink look="signal" href={PAGES.enquire.path + query}>
        Get Started Today
      </ButtonLink>
      <span className="meta">A person replies within 24 hours.</span>
    </>
  );
}

/** A sample to try or to look at. */
function Sample({ service: { picture } }: { service: Service }) {
  if (picture === 'course') return <SampleCourse />;
  if (picture === 'phone') {
    return (
      <div className="boxed" data-near="">
        <ServiceScene picture="phone" />
        <h2>Hear it for yourself</h2>
        <TestNow />
        <SampleCallPlayer />
      </div>
    );
  }
  if (picture === 'report') return <SampleFacts />;
  if (picture === 'none') return null;
  return (
    <div className="boxed">
      <ServiceScene picture={picture} />
    </div>
  );
}
