interface LineStopsProps {
  /** Colour of the line. */
  line: 'call' | 'docs' | 'leads' | 'chat' | 'courses';
  heading: string;
  stops: readonly { readonly name: string; readonly text: string }[];
}

/** What happens next, as the stops of a line: the board beside a dialog's form. */
export function LineStops({ line, heading, stops }: LineStopsProps) {
  return (
    <div className={`line-stops b-${line}`}>
      <p className="line-stops-heading">{heading}</p>
      <ol>
        {stops.map(({ name, text }) => (
          <li key={name}>
            <b>{name}</b>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
