import { UserRound } from 'lucide-react';
import { useState } from 'react';

interface AvatarProps {
  /** The address of the picture; without one, or one that does not open, the initials are shown. */
  readonly src: string | undefined;
  /** What the person is called, or the mail address. */
  readonly name: string;
  readonly size?: 'small' | 'large';
}

/** The picture of a person, which stands beside the name and says nothing of its own. */
export function Avatar({ src, name, size = 'small' }: AvatarProps) {
  const [broken, setBroken] = useState<string>();
  const initials = initialsOf(name);
  const isShown = src !== undefined && src !== broken;
  return (
    // Initials are drawn, no text: the name stands beside them, and nobody wants them in what is copied.
    <span
      className="avatar"
      data-size={size}
      data-initials={isShown ? undefined : initials}
      aria-hidden="true"
    >
      {isShown && <img src={src} alt="" onError={() => setBroken(src)} />}
      {!isShown && initials === '' && <UserRound />}
    </span>
  );
}

/** First letters of the first and the last word of a name, or of an address; empty where there is no letter. */
export function initialsOf(name: string): string {
  const words = (name.split('@')[0] ?? '').match(/[\p{L}\p{N}]+/gu) ?? [];
  const first = words[0] ?? '';
  const last = name.includes('@') ? '' : words.length > 1 ? (words.at(-1) ?? '') : '';
  return [first, last].map((word) => [...word][0]?.toLocaleUpperCase('en') ?? '').join('');
}
