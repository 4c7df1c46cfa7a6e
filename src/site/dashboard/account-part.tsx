import type { User } from '@supabase/supabase-js';
import { ApiKeysPanel } from '../../business/api-keys/api-keys-panel.web.tsx';
import { AvatarPanel } from '../../business/avatars/site/avatar-panel.web.tsx';
import { SupportPanel } from '../../business/console/records/support-access.web.tsx';
import { PushPanel } from '../../business/push/site/push-panel.web.tsx';
import { TeamBeforeDeletion } from '../../business/teams/site/team-deletion.web.tsx';
import { TeamPanel } from '../../business/teams/site/team-panel.web.tsx';
import { AccountTab } from '../../platform/auth/site/account-tab.web.tsx';
import { personName } from '../../ui/people/person-name.ts';

/** The Account tab, with the panels of other features. */
export function AccountPart({ user }: { user: User }) {
  return (
    <AccountTab
      user={user}
      Before={TeamBeforeDeletion}
      further={{
        profile: <AvatarPanel userId={user.id} name={personName(user)} />,
        notices: <PushPanel userId={user.id} />,
        team: <TeamPanel userId={user.id} />,
        access: (
          <>
            <SupportPanel userId={user.id} />
            <ApiKeysPanel userId={user.id} />
          </>
        ),
      }}
    />
  );
}
