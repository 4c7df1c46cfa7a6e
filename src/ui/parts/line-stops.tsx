interface LineStopsProps {
  /** Colour of the line. */
  line: 'call' | 'docs' | 'leads' | 'chat' | 'courses';
  heading: string;
  stops: readonly { readonly name: string; readonly text: string }[];
  /** Index of the stop that has been reached. */
  at?: number;
}

/** The next steps as the stops of a line: the panel next to a dialog's form. */
export function LineStops({ line, heading, stops, at = 0 }: LineStopsProps) {
  return (
    <div className={`line-stops b-${line}`}>
      <p className="line-stops-heading">{heading}</p>
      <ol>
        {stops.map(({ name, text }, index) => (
          <li key={name} aria-current={index === at ? 'step' : undefined}>
            <b>{name}</b>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
