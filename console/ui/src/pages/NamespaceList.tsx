import { CopyOutlined, DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Form, Input, Progress, Space, Table } from 'antd';
import { useState } from 'react';
import { core, type Namespace } from '../api/core';
import { Dialog } from '../components/Dialog';
import { Clip, Link, Loaded, PageHead, useAction, useConfirm, useSingleAction } from '../components/common';
import { number, t } from '../i18n';
import { idOf, useNamespaces } from '../namespaces';
import { useRemote } from '../remote';
import { useRights } from '../rights';
import { view } from '../router';
import { CloneNamespace } from './namespace/CloneNamespace';

export default function NamespaceList() {
  const rights = useRights();
  const { all } = useNamespaces();
  // A quota that nobody enforces is no limit, and would be taken for one.
  const state = useRemote('state', (signal) => core.state(signal));
  // Nor is it compared with the number of configurations that a reader may see.
  const isLimited = rights.admin && state.data?.isCapacityLimitCheck === 'true';
  const [editing, setEditing] = useState<Namespace | 'new'>();
  const [cloning, setCloning] = useState<Namespace>();
  const action = useAction();
  const confirm = useConfirm();
  const remove = (namespace: Namespace) =>
    confirm({
      title: t('Delete namespace {name}?', { name: namespace.namespaceShowName }),
      text: t('Its {n} configurations become unreachable.', { n: number(namespace.configCount) }),
      button: t('Delete'),
      danger: true,
      type: namespace.namespaceShowName,
      run: async () => {
        await action.run(() => core.removeNamespace(idOf(namespace)), t('Deleted'));
        all.reload();
      },
    });
  return (
    <>
      <PageHead title={t('Namespaces')} sub={t('Each namespace has its own configurations and services.')}>
        {rights.admin && <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setEditing('new')}>{t('New namespace')}</Button>}
      </PageHead>
      <Loaded remote={all}>
        {(namespaces) => (
          <div className="table-panel" tabIndex={0}>
            <Table<Namespace>
              rowKey={idOf}
              dataSource={namespaces}
              pagination={{ pageSize: 100, hideOnSinglePage: true, showSizeChanger: false }}
              showSorterTooltip={false}
              columns={[
                {
                  title: t('Name'),
                  sorter: (a, b) => a.namespaceShowName.localeCompare(b.namespaceShowName),
                  render: (_, n) => <Link to={view('configs', { ns: idOf(n) })}><Clip text={n.namespaceShowName} width={260} /></Link>,
                },
                { title: 'ID', render: (_, n) => <span className="mono">{idOf(n)}</span> },
                { title: t('Description'), responsive: ['lg'], render: (_, n) => <Clip text={n.namespaceDesc ?? ''} width="clamp(120px, 22vw, 420px)" /> },
                {
                  title: t('Configurations'),
                  align: 'right',
                  sorter: (a, b) => a.configCount - b.configCount,
                  render: (_, n) => (
                    <Space className="nowrap">
                      {isLimited && n.quota > 0 && <Progress size={[90, 6]} percent={Math.min(100, (100 * n.configCount) / n.quota)} showInfo={false} status={n.configCount >= n.quota * 0.9 ? 'exception' : 'normal'} aria-label={t('{n} of {all} configurations used', { n: n.configCount, all: n.quota })} />}
                      {isLimited && n.quota > 0 ? `${number(n.configCount)} / ${number(n.quota)}` : number(n.configCount)}
                    </Space>
                  ),
                },
                ...(!rights.writesSomewhere ? [] : [{
                  title: t('Actions'),
                  align: 'right' as const,
                  render: (_: unknown, n: Namespace) => (
                    <Space size={0}>
                      <Button type="text" size="small" icon={<CopyOutlined aria-hidden />} title={t('Clone its configurations')} aria-label={t('Clone {name}', { name: n.namespaceShowName })} onClick={() => setCloning(n)} />
                      {rights.admin && idOf(n) !== 'public' && (
                        <>
                        <Button type="text" size="small" icon={<EditOutlined aria-hidden />} aria-label={t('Edit {name}', { name: n.namespaceShowName })} onClick={() => setEditing(n)} />
                        <Button type="text" size="small" danger icon={<DeleteOutlined aria-hidden />} aria-label={t('Delete {name}', { name: n.namespaceShowName })} onClick={() => remove(n)} />
                        </>
                      )}
                    </Space>
                  ),
                }]),
              ]}
            />
          </div>
        )}
      </Loaded>
      {cloning && <CloneNamespace source={cloning} close={() => setCloning(undefined)} />}
      {editing && <Edit namespace={editing === 'new' ? undefined : editing} close={() => setEditing(undefined)} changed={all.reload} />}
    </>
  );
}

type Values = { id?: string; name: string; description?: string };

function Edit(props: { namespace?: Namespace; close: () => void; changed: () => void }) {
  const { namespace } = props;
  const [form] = Form.useForm<Values>();
  const action = useSingleAction();
  const save = async (values: Values) => {
    const done = await action.run(
      () =>
        namespace
          ? core.updateNamespace(idOf(namespace), values.name, values.description ?? '')
          : core.createNamespace(values.id ?? '', values.name, values.description ?? ''),
      t('Saved'),
    );
    if (done) {
      props.changed();
      props.close();
    }
  };
  return (
    <Dialog title={namespace ? t('Edit {name}', { name: namespace.namespaceShowName }) : t('New namespace')} okText={t('Save')} cancelText={t('Cancel')} onCancel={props.close} onOk={() => form.submit()}>
      <Form<Values> form={form} layout="vertical" requiredMark={false} onFinish={save} initialValues={{ name: namespace?.namespaceShowName, description: namespace?.namespaceDesc ?? '' }}>
        <Form.Item name="name" label={t('Name')} rules={[{ required: true, message: t('Needed') }]}>
          <Input autoFocus />
        </Form.Item>
        {!namespace && (
          <Form.Item name="id" label={t('ID (generated when empty)')} rules={[{ pattern: /^[\w-]{0,128}$/, message: t('Letters, digits, - and _ only') }]}>
            <Input />
          </Form.Item>
        )}
        <Form.Item name="description" label={t('Description')}>
          <Input />
        </Form.Item>
      </Form>
    </Dialog>
  );
}
