import { Alert, Form, Input, Segmented, Select, Tag } from 'antd';
import { useState } from 'react';
import { access, type ResourceName } from '../../api/access';
import { Dot, Loaded } from '../../components/common';
import { t } from '../../i18n';
import { idOf, useNamespaces } from '../../namespaces';
import { useRemote, useSettled } from '../../remote';
import { useQuery } from '../../router';
import { actionText, resourceText } from './Resource';

/** Asks the server's own rule, as a request of that user would: whether, and by which rights. */
export function Preview(props: { users: string[] }) {
  const [query, change] = useQuery();
  const { all, current } = useNamespaces();
  const user = query.get('user') ?? props.users[0] ?? '';
  const [resource, setResource] = useState<ResourceName>({ namespaceId: current, groupName: 'DEFAULT_GROUP', type: 'config', name: '' });
  const settled = useSettled(resource, 200);
  const edit = (changes: Partial<ResourceName>) => setResource({ ...resource, ...changes });
  const asked = user && settled.name.trim() && settled.groupName.trim() ? `${user} ${JSON.stringify(settled)}` : undefined;
  const decision = useRemote(asked, (signal) => access.check(user, settled, signal));
  const rights = useRemote(user ? `rights ${user}` : undefined, (signal) => access.own(user, signal), { keep: false });
  return (
    <div className="columns">
      <section className="panel">
        <h2>{t('May this user …')}</h2>
        <Form layout="vertical" component="div">
          <Form.Item label={t('User')} htmlFor="preview-user">
            <Select id="preview-user" aria-label={t('User')} showSearch value={user || undefined} onChange={(value) => change({ user: value })} options={props.users.map((value) => ({ value }))} />
          </Form.Item>
          <Form.Item label={t('Namespace')} htmlFor="preview-namespace">
            <Select id="preview-namespace" aria-label={t('Namespace of the resource')} showSearch={{ optionFilterProp: 'label' }} value={resource.namespaceId} onChange={(namespaceId) => edit({ namespaceId })} options={(all.data ?? []).map((n) => ({ value: idOf(n), label: n.namespaceShowName }))} />
          </Form.Item>
          <Form.Item label={t('Kind')}>
            <Segmented aria-label={t('Kind')} value={resource.type} onChange={(type) => edit({ type })} options={[{ value: 'config' as const, label: t('Configuration') }, { value: 'naming' as const, label: t('Service') }]} />
          </Form.Item>
          <Form.Item label={t('Group')} htmlFor="preview-group">
            <Input id="preview-group" value={resource.groupName} onChange={(e) => edit({ groupName: e.target.value })} />
          </Form.Item>
          <Form.Item label={resource.type === 'config' ? t('Data ID') : t('Service')} htmlFor="preview-name">
            <Input id="preview-name" value={resource.name} onChange={(e) => edit({ name: e.target.value })} />
          </Form.Item>
        </Form>
        {asked && (
          <Loaded remote={decision}>
            {(answer) => (
              <div role="status">
                <p><Dot kind={answer.read ? 'good' : 'bad'} />{answer.read ? t('{name} may read it', { name: user }) : t('{name} may not read it', { name: user })}</p>
                <p><Dot kind={answer.write ? 'good' : 'bad'} />{answer.write ? t('{name} may change it', { name: user }) : t('{name} may not change it', { name: user })}</p>
                {answer.globalAdmin && <p className="muted">{t('Because of the role {name}, which may do everything.', { name: 'ROLE_ADMIN' })}</p>}
                {answer.because.map((b) => (
                  <p key={`${b.role} ${b.resource} ${b.action}`} className="muted wrap">
                    {t('Because of the role {name}:', { name: b.role })} {actionText(b.action)} <bdi className="mono">{b.resource}</bdi>
                  </p>
                ))}
                {!answer.globalAdmin && answer.because.length === 0 && <p className="muted">{t('No right of this user covers it.')}</p>}
              </div>
            )}
          </Loaded>
        )}
      </section>
      <section className="panel">
        <h2>{t('All that {name} may do', { name: user })}</h2>
        <Loaded remote={rights}>
          {(own) =>
            own.globalAdmin ? (
              <Alert type="warning" showIcon title={t('May do everything.')} />
            ) : own.permissions.length === 0 ? (
              <p className="muted">{t('Nothing')}</p>
            ) : (
              <ul className="list-plain">
                {own.permissions.map((right) => (
                  <li key={`${right.resource} ${right.action}`}>
                    <Tag style={{ flex: 'none' }}>{actionText(right.action)}</Tag>
                    <span className="grow wrap"><bdi className="mono">{right.resource}</bdi> <span className="muted">{resourceText(right.resource)}</span></span>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </section>
    </div>
  );
}
