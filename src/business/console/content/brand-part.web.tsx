import { SPECIFIED_COLOURS, weakContrasts } from '../../../kernel/contract/colour-mixing.ts';
import type { SiteColours } from '../../../kernel/contract/site-content.ts';
import { Button } from '../../../ui/parts/button.tsx';
import type { PartProps } from './content-page.web.tsx';
import { WrittenField } from './editor-fields.web.tsx';
import { LogoField } from './logo-field.web.tsx';

const COLOURS: readonly [keyof SiteColours, string, string][] = [
  ['accent', 'Accent', 'Buttons that lead on, and the line of the logo.'],
  ['accentDark', 'Accent of the dark scheme', 'The same, for visitors whose screens are dark.'],
  ['ink', 'Ink', 'Words, and dark buttons. Quiet words and borders are mixed from it.'],
  ['paper', 'Paper', 'What everything stands on.'],
  ['board', 'Dark panels', 'On the home page and behind lists.'],
];

/** Name, address, social link, and five colours whose contrast is checked while they are chosen. */
export function BrandPart({ draft, overview: { settings }, change }: PartProps) {
  const brand = draft.brand ?? settings;
  const colours = draft.colours ?? SPECIFIED_COLOURS;
  const weak = weakContrasts(colours);
  return (
    <>
      <h2>Brand and contact</h2>
      <WrittenField
        label="Name"
        value={brand.name}
        onWrite={(name) => change({ brand: { ...brand, name } })}
      />
      <WrittenField
        label="Email address for visitors and enquiries"
        type="email"
        value={brand.contactEmail}
        onWrite={(contactEmail) => change({ brand: { ...brand, contactEmail } })}
      />
      <WrittenField
        label="Social page"
        type="url"
        value={brand.socialUrl}
        onWrite={(socialUrl) => change({ brand: { ...brand, socialUrl } })}
      />
      <LogoField draft={draft} change={change} />
      <h2>Colours</h2>
      <div className="site-colours">
        {COLOURS.map(([name, label, hint]) => (
          <WrittenField
            key={name}
            type="color"
            label={label}
            hint={hint}
            value={colours[name]}
            onWrite={(value) => change({ colours: { ...colours, [name]: value } })}
          />
        ))}
      </div>
      <div role="status">
        {weak.length === 0 ? (
          <p className="meta">Everything in these colours can be read.</p>
        ) : (
          <ul className="form-error">
            {weak.map(({ sentence }) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
      </div>
      <Button small look="quiet" onClick={() => change({ colours: SPECIFIED_COLOURS })}>
        Reset colours
      </Button>
    </>
  );
}
