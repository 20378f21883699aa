import { Alert, Skeleton } from 'antd';
import type { ReactNode } from 'react';
import { core } from '../api/core';
import { t } from '../i18n';
import { useRemote } from '../remote';

/** What is about accounts, on a server that has them; else a word on how it gets them. */
export function WithAccounts(props: { children: ReactNode }) {
  const state = useRemote('state', (signal) => core.state(signal));
  if (!state.data && !state.error) return <Skeleton active paragraph={{ rows: 5 }} />;
  if (state.data?.['auth_enabled'] !== 'false') return <>{props.children}</>;
  return (
    <Alert
      type="info"
      showIcon
      title={t('This server requires no login')}
      description={t('Every caller may do everything, so the server listens on this machine only. Set nacos.core.auth.enabled=true to use users and rights.')}
    />
  );
}
