import { DeleteOutlined, EyeOutlined, KeyOutlined, PlusOutlined, TagOutlined } from '@ant-design/icons';
import { Button, Form, Input, Select, Space, Table, Tag } from 'antd';
import { useState } from 'react';
import { access, type RoleRow, type UserRow } from '../../api/access';
import { Dialog } from '../../components/Dialog';
import { Clip, useAction, useConfirm, useSingleAction } from '../../components/common';
import { ChangePassword, useSession } from '../../components/SignIn';
import { number, t } from '../../i18n';
import { useQuery } from '../../router';
import { ADMIN_ROLE } from './RoleList';

type Editing = { kind: 'new' } | { kind: 'password' | 'roles'; username: string };

export function UserList(props: { users: UserRow[]; roles: RoleRow[]; changed: () => void }) {
  const [query, change] = useQuery();
  const { user: me } = useSession();
  const [typed, setTyped] = useState(query.get('q') ?? '');
  const [editing, setEditing] = useState<Editing>();
  const action = useAction();
  const confirm = useConfirm();
  const rolesOf = (username: string) => props.roles.filter((r) => r.username === username).map((r) => r.role).sort();
  const shown = props.users.filter((u) => u.username.toLowerCase().includes(typed.trim().toLowerCase()));
  const close = (changed?: boolean) => {
    setEditing(undefined);
    if (changed) props.changed();
  };
  const remove = (username: string) =>
    confirm({
      title: t('Delete user {name}?', { name: username }),
      text: t('Sessions of this user end at once.'),
      button: t('Delete'),
      danger: true,
      run: async () => {
        await action.run(() => access.removeUser(username), t('Deleted'));
        props.changed();
      },
    });
  return (
    <>
      <div className="filters">
        <Input allowClear style={{ width: 260 }} aria-label={t('Search users')} placeholder={t('Search users')} value={typed} onChange={(e) => setTyped(e.target.value)} />
        <span className="muted" role="status">{t('{n} users', { n: number(shown.length) })}</span>
        <div className="grow" />
        <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setEditing({ kind: 'new' })}>{t('New user')}</Button>
      </div>
      <div className="table-panel" tabIndex={0}>
        <Table<UserRow>
          rowKey="username"
          dataSource={shown}
          pagination={{ defaultPageSize: 50, hideOnSinglePage: true }}
          showSorterTooltip={false}
          columns={[
            { title: t('User name'), sorter: (a, b) => a.username.localeCompare(b.username), defaultSortOrder: 'ascend', render: (_, u) => <Clip text={u.username} width={320} /> },
            {
              title: t('Roles'),
              render: (_, u) => rolesOf(u.username).map((role) => <Tag key={role} color={role === ADMIN_ROLE ? 'warning' : undefined}><Clip text={role} width={220} /></Tag>),
            },
            {
              title: t('Actions'),
              align: 'right',
              render: (_, u) => (
                <Space size={0}>
                  <Button type="text" size="small" icon={<EyeOutlined aria-hidden />} aria-label={t('What may {name} do?', { name: u.username })} onClick={() => change({ tab: 'preview', user: u.username }, true)} />
                  <Button type="text" size="small" icon={<TagOutlined aria-hidden />} aria-label={t('Roles of {name}', { name: u.username })} onClick={() => setEditing({ kind: 'roles', username: u.username })} />
                  <Button type="text" size="small" icon={<KeyOutlined aria-hidden />} aria-label={t('New password for {name}', { name: u.username })} onClick={() => setEditing({ kind: 'password', username: u.username })} />
                  <Button type="text" size="small" danger disabled={u.username === me?.username} icon={<DeleteOutlined aria-hidden />} aria-label={t('Delete {name}', { name: u.username })} onClick={() => remove(u.username)} />
                </Space>
              ),
            },
          ]}
        />
      </div>
      {editing?.kind === 'new' && <NewUser roles={namesOf(props.roles)} close={close} />}
      {editing?.kind === 'password' && editing.username === me?.username && <ChangePassword open forced={false} close={close} />}
      {editing?.kind === 'password' && editing.username !== me?.username && <NewPassword username={editing.username} close={close} />}
      {editing?.kind === 'roles' && <UserRoles username={editing.username} roles={namesOf(props.roles)} has={rolesOf(editing.username)} close={close} />}
    </>
  );
}

function namesOf(roles: RoleRow[]): string[] {
  return [...new Set(roles.map((r) => r.role).filter((role) => role !== ADMIN_ROLE))].sort().concat(ADMIN_ROLE);
}

type Close = (changed?: boolean) => void;

function NewUser(props: { roles: string[]; close: Close }) {
  const [form] = Form.useForm<{ username: string; password: string; roles?: string[] }>();
  const action = useSingleAction();
  const create = async (values: { username: string; password: string; roles?: string[] }) => {
    const done = await action.run(async () => {
      await access.createUser(values.username.trim(), values.password);
      for (const role of values.roles ?? []) await access.grantRole(role, values.username.trim());
    }, t('Created'));
    if (done) props.close(true);
  };
  return (
    <Dialog title={t('New user')} okText={t('Create')} cancelText={t('Cancel')} onCancel={() => props.close()} onOk={() => form.submit()}>
      <Form form={form} layout="vertical" requiredMark={false} onFinish={create}>
        <Form.Item name="username" label={t('User name')} rules={[{ required: true, whitespace: true, message: t('Needed') }]}>
          <Input autoFocus autoComplete="off" />
        </Form.Item>
        <Form.Item name="password" label={t('Password')} rules={[{ required: true, message: t('Needed') }]}>
          <Input.Password autoComplete="new-password" />
        </Form.Item>
        <Form.Item name="roles" label={t('Roles')}>
          <Select mode="tags" defaultActiveFirstOption={false} options={props.roles.map((value) => ({ value }))} />
        </Form.Item>
      </Form>
    </Dialog>
  );
}

function NewPassword(props: { username: string; close: Close }) {
  const [form] = Form.useForm<{ password: string }>();
  const action = useSingleAction();
  const save = async (values: { password: string }) => {
    const done = await action.run(() => access.changePassword(props.username, values.password), t('Saved'));
    if (done) props.close();
  };
  return (
    <Dialog title={t('New password for {name}', { name: props.username })} okText={t('Save')} cancelText={t('Cancel')} onCancel={() => props.close()} onOk={() => form.submit()}>
      <p className="muted">{t('Sessions of this user end at once.')}</p>
      <Form form={form} layout="vertical" requiredMark={false} onFinish={save}>
        <Form.Item name="password" label={t('New password')} rules={[{ required: true, message: t('Needed') }]}>
          <Input.Password autoFocus autoComplete="new-password" />
        </Form.Item>
      </Form>
    </Dialog>
  );
}

function UserRoles(props: { username: string; roles: string[]; has: string[]; close: Close }) {
  const [chosen, setChosen] = useState(props.has);
  const action = useSingleAction();
  const save = async () => {
    const done = await action.run(async () => {
      for (const role of chosen.filter((r) => !props.has.includes(r))) await access.grantRole(role, props.username);
      for (const role of props.has.filter((r) => !chosen.includes(r))) await access.revokeRole(role, props.username);
    }, t('Saved'));
    if (done) props.close(true);
  };
  return (
    <Dialog title={t('Roles of {name}', { name: props.username })} okText={t('Save')} cancelText={t('Cancel')} onCancel={() => props.close()} onOk={save}>
      <p className="muted">{t('Choose roles, or type the name of a new one.')}</p>
      <Select mode="tags" defaultActiveFirstOption={false} autoFocus style={{ width: '100%' }} aria-label={t('Roles')} value={chosen} onChange={setChosen} options={props.roles.map((value) => ({ value }))} />
    </Dialog>
  );
}
