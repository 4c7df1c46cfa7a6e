import { UserRound } from 'lucide-react';
import { useState } from 'react';

interface AvatarProps {
  /** The address of the picture. The initials are shown without one, or if it fails to load. */
  readonly src: string | undefined;
  /** The person's name, or the mail address. */
  readonly name: string;
  readonly size?: 'small' | 'large';
}

/** A person's picture. The name is beside it, so it has no text alternative of its own. */
export function Avatar({ src, name, size = 'small' }: AvatarProps) {
  const [broken, setBroken] = useState<string>();
  const initials = initialsOf(name);
  const isShown = src !== undefined && src !== broken;
  return (
    // Initials are a drawing and no text: the name is beside them, and nobody wants them in copied text.
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

/**
 * The first letters of the first and the last word of a name, or of an address; empty when there are no
 * letters. What a name says in brackets, such as “(demo)”, is no part of it.
 */
export function initialsOf(name: string): string {
  const words = (name.replace(/\(.*?\)/gu, '').split('@')[0] ?? '').match(/[\p{L}\p{N}]+/gu) ?? [];
  const first = words[0] ?? '';
  const last = name.includes('@') ? '' : words.length > 1 ? (words.at(-1) ?? '') : '';
  return [first, last].map((word) => [...word][0]?.toLocaleUpperCase('en') ?? '').join('');
}
