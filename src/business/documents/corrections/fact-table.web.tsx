import type { ReactNode } from 'react';

/** The table of what a report read: a row for each field, with its value, its place and what can be done about it. */
export function FactTable({ children }: { children: ReactNode }) {
  return (
    <table className="key-facts">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Value</th>
          <th scope="col">Where found</th>
          <th scope="col">
            <span className="hidden-text">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** A button that is a picture; its label is read aloud and shown beside the pointer. */
export function IconButton({
  label,
  onPress,
  children,
}: {
  label: string;
  onPress: () => void;
  children: ReactNode;
}) {
  return (
    <button type="button" className="icon-btn" aria-label={label} title={label} onClick={onPress}>
      {children}
    </button>
  );
}
