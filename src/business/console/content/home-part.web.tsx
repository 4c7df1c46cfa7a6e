import {
  CALL_MINUTES,
  offeredServices,
  SECTIONS,
  SERVICE_PICTURES,
  type Section,
  type ServicePicture,
  SPECIFIED_SERVICES,
  USUAL_CALL_MINUTES,
} from '../../../kernel/contract/site-content.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Choice } from '../parts/console-parts.web.tsx';
import type { PartProps } from './content-page.web.tsx';
import { changed, moved, OrderButtons, WrittenField } from './editor-fields.web.tsx';

const SECTION_NAMES: Readonly<Record<Section, string>> = {
  values: 'Three values',
  services: 'Services',
  launcher: 'Course launcher',
  courses: 'Course plans',
  documents: 'Document plans',
  phone: 'Phone system',
  news: 'News and statistics',
};
const PICTURE_NAMES: Readonly<Record<ServicePicture, string>> = {
  chat: 'A chat',
  website: 'A web site',
  phone: 'A call',
  leads: 'Scored leads',
  none: 'None',
};
const CALL_CHOICES = [
  ['0', 'None'],
  ...CALL_MINUTES.map((minutes) => [String(minutes), `${minutes} minutes`] as const),
] as const;

/** Which sections the home page has, in which order; the services; and what an enquiry may name. */
export function HomePart(props: PartProps) {
  return (
    <>
      <SectionOrder {...props} />
      <ServiceCards {...props} />
      <EnquiryList {...props} />
    </>
  );
}

function SectionOrder({ draft, change }: PartProps) {
  const shown = draft.sections ?? SECTIONS;
  const hidden = SECTIONS.filter((name) => !shown.includes(name));
  return (
    <>
      <h2>Sections</h2>
      <ol className="site-list">
        {shown.map((name, at) => (
          <li key={name}>
            <span>{SECTION_NAMES[name]}</span>
            <OrderButtons
              name={SECTION_NAMES[name]}
              at={at}
              count={shown.length}
              onMove={(to) => change({ sections: moved(shown, at, to) })}
              onRemove={() => change({ sections: shown.filter((one) => one !== name) })}
            />
          </li>
        ))}
      </ol>
      {hidden.length > 0 && (
        <div className="console-acts">
          {hidden.map((name) => (
            <Button key={name} small look="quiet" onClick={() => change({ sections: [...shown, name] })}>
              Show {SECTION_NAMES[name]}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}

function ServiceCards({ draft, change }: PartProps) {
  const services = draft.services ?? SPECIFIED_SERVICES;
  return (
    <>
      <h2>Services</h2>
      {services.map((service, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name changes with every letter that is typed.
        <fieldset key={at} className="site-entry">
          <legend>{service.name || `Service ${at + 1}`}</legend>
          <WrittenField
            label="Name"
            value={service.name}
            onWrite={(name) => change({ services: changed(services, at, { name }) })}
          />
          <WrittenField
            label="One sentence"
            rows={2}
            value={service.text}
            onWrite={(text) => change({ services: changed(services, at, { text }) })}
          />
          <Choice
            label="Picture"
            value={service.picture}
            options={SERVICE_PICTURES.map((name) => [name, PICTURE_NAMES[name]] as const)}
            onChoose={(picture) => change({ services: changed(services, at, { picture }) })}
          />
          <Choice
            label="Calls that visitors book"
            value={String(service.callMinutes ?? USUAL_CALL_MINUTES)}
            options={CALL_CHOICES}
            onChoose={(minutes) =>
              change({ services: changed(services, at, { callMinutes: Number(minutes) }) })
            }
          />
          <OrderButtons
            name={service.name}
            at={at}
            count={services.length}
            onMove={(to) => change({ services: moved(services, at, to) })}
            onRemove={() => change({ services: services.filter((_, index) => index !== at) })}
          />
        </fieldset>
      ))}
      <Button
        small
        look="quiet"
        onClick={() => change({ services: [...services, { name: '', text: '', picture: 'none' }] })}
      >
        Add a service
      </Button>
    </>
  );
}

function EnquiryList({ draft, change }: PartProps) {
  return (
    <>
      <h2>What an enquiry may be about</h2>
      <WrittenField
        label="One in each line"
        rows={7}
        value={(draft.enquiryServices ?? offeredServices(draft)).join('\n')}
        onWrite={(text) => change({ enquiryServices: text.split('\n') })}
      />
    </>
  );
}
