import { Alert, ConfigProvider, theme } from 'antd';
import { createContext, useContext, useMemo, type ReactNode } from 'react';
import { access } from './api/access';
import type { ApiError } from './api/http';
import { PageHead } from './components/common';
import { t, type Text } from './i18n';
import { useNamespaces } from './namespaces';
import { useRemote } from './remote';

/** The right that a page or a button needs: to everything, or to a kind of resource in the chosen namespace. */
export type Need = 'admin' | 'readConfigs' | 'writeConfigs' | 'readServices' | 'writeServices';

export type Rights = {
  /** Whether the server has told them; before that, nothing is allowed. */
  known: boolean;
  /** Why the server has not told them. */
  error?: ApiError;
  admin: boolean;
  /** Whether something may be changed, in whatever namespace. */
  writesSomewhere: boolean;
  allow: (need: Need | undefined) => boolean;
};

const NONE: Rights = { known: false, admin: false, writesSomewhere: false, allow: (need) => need === undefined };
/** Rights that are given or taken meanwhile show after this time. */
const EVERY_MILLIS = 30_000;
const Context = createContext(NONE);

/** Asks the server, which decides, what the user may do in the current namespace. */
export function RightsOfUser(props: { children: ReactNode }) {
  const { current } = useNamespaces();
  const { data, error } = useRemote(`rights ${current}`, (signal) => access.rights(current, signal), { every: EVERY_MILLIS });
  const rights = useMemo((): Rights => {
    if (!data) return { ...NONE, error };
    const admin = data.globalAdmin;
    const there = data.namespace?.namespaceId === (current || 'public') ? data.namespace : undefined;
    const allowed: Record<Need, boolean> = {
      admin,
      readConfigs: admin || there?.config.includes('r') === true,
      writeConfigs: admin || there?.config.includes('w') === true,
      readServices: admin || there?.naming.includes('r') === true,
      writeServices: admin || there?.naming.includes('w') === true,
    };
    return {
      known: admin || there !== undefined,
      admin,
      writesSomewhere: data.somewhere.includes('w'),
      allow: (need) => need === undefined || allowed[need],
    };
  }, [data, error, current]);
  return <Context value={rights}>{props.children}</Context>;
}

export function useRights(): Rights {
  return useContext(Context);
}

/** Whether one configuration or service may be changed, asked of the server; false until it has answered. */
export function useMayWrite(type: 'config' | 'naming', groupName: string, name: string): boolean {
  const { current } = useNamespaces();
  const rights = useRights();
  const asks = !rights.admin && name !== '' && rights.allow(type === 'config' ? 'writeConfigs' : 'writeServices');
  const resource = { namespaceId: current, groupName, type, name };
  const remote = useRemote(asks ? JSON.stringify(resource) : undefined, (signal) => access.check(undefined, resource, signal), { every: EVERY_MILLIS, keep: false });
  return rights.admin || (asks && remote.data?.write === true);
}

/** Says why there is nothing to change on a page, where that is so. */
export function ReadOnlyNote(props: { may: boolean }) {
  const { known } = useRights();
  return known && !props.may && <Alert type="info" showIcon style={{ marginBottom: 12 }} title={t('Your rights allow you to read this, not to change it.')} />;
}

/** Shows its children read-only unless the user may change them. */
export function Changeable(props: { may: boolean; children: ReactNode }) {
  const { token } = theme.useToken();
  return (
    <>
      <ReadOnlyNote may={props.may} />
      {/* What stands in the fields is there to be read. */}
      <ConfigProvider componentDisabled={!props.may} theme={props.may ? undefined : { token: { colorTextDisabled: token.colorTextSecondary } }}>
        {props.children}
      </ConfigProvider>
    </>
  );
}

const REASONS: Record<Need, Text> = {
  admin: 'Only users with the role ROLE_ADMIN may see this page.',
  readConfigs: 'You have no right to read configurations in this namespace. Choose another namespace at the top.',
  writeConfigs: 'You have no right to change configurations in this namespace. Choose another namespace at the top.',
  readServices: 'You have no right to read services in this namespace. Choose another namespace at the top.',
  writeServices: 'You have no right to change services in this namespace. Choose another namespace at the top.',
};

/** In place of a page that the user may not see. */
export function NotAllowed(props: { title: Text; need: Need }) {
  return (
    <>
      <PageHead title={t(props.title)} />
      <Alert type="warning" showIcon role="alert" title={t('You are not allowed to do this')} description={t(REASONS[props.need])} />
    </>
  );
}
