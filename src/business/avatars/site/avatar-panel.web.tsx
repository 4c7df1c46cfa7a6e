import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { AVATARS_BUCKET, avatarPath } from '../../../kernel/contract/avatars.ts';
import { AVATAR_TYPES } from '../../../platform/storage/content/upload-types.contract.ts';
import { site } from '../../../ui/brand.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Avatar } from '../../../ui/people/avatar.tsx';
import { refreshAvatars, useAvatar } from '../../../ui/people/avatars.ts';
import { supabase } from '../../../ui/session/client.ts';
import { makeAvatar } from './avatar-picture.web.ts';

/** The account's picture: chosen, cropped and scaled here, shown at once in every place, or removed. */
export function AvatarPanel({ userId, name }: { userId: string; name: string }) {
  const queries = useQueryClient();
  const src = useAvatar(userId);
  const chooser = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<{ readonly text: string; readonly failed: boolean }>();
  const change = async (work: () => Promise<void>, done: string): Promise<void> => {
    setBusy(true);
    setSaid(undefined);
    try {
      await work();
      await refreshAvatars(queries);
      setSaid({ text: done, failed: false });
    } catch (error) {
      setSaid({ text: error instanceof Error ? error.message : String(error), failed: true });
    }
    setBusy(false);
  };
  const store = (file: File): Promise<void> =>
    change(async () => {
      const made = await makeAvatar(file);
      const bucket = (await supabase()).storage.from(AVATARS_BUCKET);
      const options = { upsert: true, contentType: made.type };
      const { error } = await bucket.upload(avatarPath(userId), made, options);
      if (error !== null) throw error;
    }, 'Your picture is saved.');
  const remove = (): Promise<void> =>
    change(async () => {
      const bucket = (await supabase()).storage.from(AVATARS_BUCKET);
      const { error } = await bucket.remove([avatarPath(userId)]);
      if (error !== null) throw error;
      // The button with the focus is about to disappear.
      chooser.current?.parentElement?.querySelector('button')?.focus();
    }, 'Your picture is removed.');
  return (
    <section className="panel pad" aria-labelledby="picture" aria-busy={busy}>
      <h2 id="picture">Your picture</h2>
      <p className="meta">
        Seen by you, your team and {site.brand}. A JPEG, PNG or WebP file; its middle is cut out as a square.
      </p>
      <div className="avatar-choice">
        <Avatar src={src} name={name} size="large" />
        <Button look="quiet" busy={busy} onClick={() => chooser.current?.click()}>
          {src === undefined ? 'Choose a picture' : 'Choose another picture'}
        </Button>
        <input
          ref={chooser}
          type="file"
          hidden
          aria-label="Picture to show"
          accept={AVATAR_TYPES.join(',')}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            currentTarget.value = '';
            if (file !== undefined) void store(file);
          }}
        />
        {src !== undefined && (
          <Button look="quiet" busy={busy} onClick={() => void remove()}>
            Remove the picture
          </Button>
        )}
      </div>
      <p
        className={said?.failed === true ? 'fault' : 'meta'}
        role={said?.failed === true ? 'alert' : 'status'}
      >
        {said?.text}
      </p>
    </section>
  );
}
