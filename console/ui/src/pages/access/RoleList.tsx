import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Empty, Form, Input, Tag } from 'antd';
import { useState } from 'react';
import { access, type PermissionRow, type RoleRow } from '../../api/access';
import { Dialog } from '../../components/Dialog';
import { Clip, useAction, useConfirm } from '../../components/common';
import { t } from '../../i18n';
import { Action, actionText, Resource, resourceText, type ResourceValue, WHOLE } from './Resource';

/** The role that may do everything; its rights are no rows. */
export const ADMIN_ROLE = 'ROLE_ADMIN';

/** Every role with who has it and what it allows. */
export function RoleList(props: { roles: RoleRow[]; permissions: PermissionRow[]; changed: () => void }) {
  const [adding, setAdding] = useState<string>();
  const action = useAction();
  const confirm = useConfirm();
  const names = [...new Set([...props.roles.map((r) => r.role), ...props.permissions.map((p) => p.role)])].sort();
  const remove = (role: string) =>
    confirm({
      title: t('Delete role {name}?', { name: role }),
      text: t('Its users lose its rights at once.'),
      button: t('Delete'),
      danger: true,
      run: async () => {
        await action.run(async () => {
          for (const right of props.permissions.filter((p) => p.role === role)) await access.revoke(right);
          await access.removeRole(role);
        }, t('Deleted'));
        props.changed();
      },
    });
  const revoke = async (right: PermissionRow) => {
    await action.run(() => access.revoke(right), t('Right revoked'));
    props.changed();
  };
  return (
    <>
      <div className="filters">
        <div className="grow" />
        <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setAdding('')}>{t('New right')}</Button>
      </div>
      {names.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t('There are no roles yet')} />}
      {names.map((role) => (
        <section key={role} className="panel" style={{ marginBottom: 12 }} aria-label={role}>
          <div className="row">
            <strong className="mono"><Clip text={role} width={300} /></strong>
            {props.roles.filter((r) => r.role === role).map((r) => <Tag key={r.username}><Clip text={r.username} width={180} /></Tag>)}
            <div className="grow" />
            {role !== ADMIN_ROLE && (
              <>
                <Button size="small" icon={<PlusOutlined aria-hidden />} aria-label={t('Grant a right to {name}', { name: role })} onClick={() => setAdding(role)}>{t('Grant a right')}</Button>
                <Button size="small" type="text" danger icon={<DeleteOutlined aria-hidden />} aria-label={t('Delete {name}', { name: role })} onClick={() => remove(role)} />
              </>
            )}
          </div>
          {role === ADMIN_ROLE ? (
            <p className="muted" style={{ margin: '8px 0 0' }}>{t('May do everything.')}</p>
          ) : (
            <ul className="list-plain" style={{ marginTop: 8 }}>
              {props.permissions.filter((p) => p.role === role).map((right) => (
                <li key={`${right.resource} ${right.action}`}>
                  <span style={{ width: 130, flex: 'none' }}>{actionText(right.action)}</span>
                  <span className="grow wrap"><bdi className="mono">{right.resource}</bdi> <span className="muted">{resourceText(right.resource)}</span></span>
                  <Button size="small" type="text" danger icon={<DeleteOutlined aria-hidden />} aria-label={t('Revoke {right} of {name}', { right: right.resource, name: role })} onClick={() => void revoke(right)} />
                </li>
              ))}
            </ul>
          )}
        </section>
      ))}
      {adding !== undefined && <NewRight role={adding} close={(changed) => { setAdding(undefined); if (changed) props.changed(); }} />}
    </>
  );
}

function NewRight(props: { role: string; close: (changed?: boolean) => void }) {
  const [role, setRole] = useState(props.role);
  const [resource, setResource] = useState<ResourceValue>(WHOLE);
  const [allowed, setAllowed] = useState('r');
  const run = useAction();
  const save = async () => {
    const done = await run.run(() => access.grant({ role: role.trim(), resource: resource.text, action: allowed }), t('Right granted'));
    if (done) props.close(true);
  };
  return (
    <Dialog width={640} title={props.role ? t('Grant a right to {name}', { name: props.role }) : t('New right')} okText={t('Save')} cancelText={t('Cancel')} okButtonProps={{ disabled: role.trim() === '' }} onCancel={() => props.close()} onOk={save}>
      <Form layout="vertical" component="div">
        <Form.Item label={t('Role')} htmlFor="right-role">
          <Input id="right-role" value={role} disabled={props.role !== ''} onChange={(e) => setRole(e.target.value)} />
        </Form.Item>
        <Action value={allowed} onChange={setAllowed} />
        <Resource value={resource} onChange={setResource} />
      </Form>
    </Dialog>
  );
}
