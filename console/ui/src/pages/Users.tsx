import { Tabs } from 'antd';
import { access } from '../api/access';
import { WithAccounts } from '../components/AuthOff';
import { Loaded, PageHead } from '../components/common';
import { t } from '../i18n';
import { useRemote } from '../remote';
import { useQuery } from '../router';
import { Preview } from './access/Preview';
import { RoleList } from './access/RoleList';
import { UserList } from './access/UserList';

export default function Users() {
  return (
    <>
      <PageHead title={t('Users and rights')} sub={t('Users have roles; roles have rights. Everything else is denied.')} />
      <WithAccounts>
        <Accounts />
      </WithAccounts>
    </>
  );
}

function Accounts() {
  const [query, change] = useQuery();
  const tab = query.get('tab') ?? 'users';
  const remote = useRemote('accounts', async (signal) => {
    const [users, roles, permissions] = await Promise.all([access.users(signal), access.roles(signal), access.permissions(signal)]);
    return { users, roles, permissions };
  });
  return (
    <Loaded remote={remote}>
      {(accounts) => (
        <Tabs
          activeKey={tab}
          destroyOnHidden
          onChange={(next) => change({ tab: next === 'users' ? undefined : next })}
          items={[
            { key: 'users', label: t('Users'), children: <UserList {...accounts} changed={remote.reload} /> },
            { key: 'roles', label: t('Roles and rights'), children: <RoleList {...accounts} changed={remote.reload} /> },
            { key: 'preview', label: t('What may a user do?'), children: <Preview users={accounts.users.map((u) => u.username)} /> },
          ]}
        />
      )}
    </Loaded>
  );
}
