import { PlusOutlined } from '@ant-design/icons';
import { Alert, Button, Empty, Form, Input, Select, Space, Table, Tabs, Tag } from 'antd';
import { useState } from 'react';
import { access, type Right, type Token } from '../api/access';
import { Dialog } from '../components/Dialog';
import { WithAccounts } from '../components/AuthOff';
import { copy } from '../clipboard';
import { Clip, Loaded, PageHead, useAction, useConfirm, useSingleAction } from '../components/common';
import { moment, t } from '../i18n';
import { useRemote } from '../remote';
import { useQuery } from '../router';
import { ExplainToken } from './access/Explain';
import { Action, actionText, Resource, type ResourceValue, WHOLE } from './access/Resource';
import { RuleList } from './access/RuleList';

const DAY_SECONDS = 24 * 60 * 60;

export default function Tokens() {
  return (
    <>
      <PageHead title={t('API tokens')} sub={t('For programs: each token allows its scopes, until it expires or is revoked.')} />
      <WithAccounts>
        <TokensAndRules />
      </WithAccounts>
    </>
  );
}

function TokensAndRules() {
  const [query, change] = useQuery();
  return (
    <Tabs
      activeKey={query.get('tab') ?? 'tokens'}
      destroyOnHidden
      onChange={(next) => change({ tab: next === 'tokens' ? undefined : next })}
      items={[
        { key: 'tokens', label: t('API tokens'), children: <TokenList /> },
        { key: 'rules', label: t('Rules of the issuer'), children: <RuleList /> },
      ]}
    />
  );
}

function stateOf(token: Token): 'good' | 'revoked' | 'ended' {
  if (token.revokedAt) return 'revoked';
  return token.expiresAt <= Date.now() ? 'ended' : 'good';
}

function TokenList() {
  const [making, setMaking] = useState(false);
  const [explaining, setExplaining] = useState(false);
  const remote = useRemote('tokens', (signal) => access.tokens(signal));
  const action = useAction();
  const confirm = useConfirm();
  const revoke = (token: Token) =>
    confirm({
      title: t('Revoke {name}?', { name: token.name }),
      text: t('Programs that use it are refused at once. It cannot be restored.'),
      button: t('Revoke'),
      danger: true,
      run: async () => {
        await action.run(() => access.revokeToken(token.id), t('Revoked'));
        remote.reload();
      },
    });
  return (
    <>
      <div className="filters">
        <div className="grow" />
        <Button onClick={() => setExplaining(true)}>{t('What may a token do?')}</Button>
        <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setMaking(true)}>{t('New token')}</Button>
      </div>
      <Loaded remote={remote}>
        {(tokens) => (
          <div className="table-panel" tabIndex={0}>
            <Table<Token>
              rowKey="id"
              dataSource={tokens}
              pagination={{ defaultPageSize: 50, hideOnSinglePage: true }}
              showSorterTooltip={false}
              locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t('There are no tokens yet')} /> }}
              columns={[
                { title: t('Name'), sorter: (a, b) => a.name.localeCompare(b.name), render: (_, k) => <><Clip text={k.name} width={220} /><div className="muted mono">cairn_{k.id}…</div></> },
                {
                  title: t('Scopes'),
                  render: (_, k) =>
                    k.scopes.map((scope) => {
                      const [allowed, ...resource] = scope.split(' ');
                      return <div key={scope} className="wrap">{actionText(allowed ?? '')} <bdi className="mono">{resource.join(' ')}</bdi></div>;
                    }),
                },
                { title: t('Made'), sorter: (a, b) => a.createdAt - b.createdAt, defaultSortOrder: 'descend', render: (_, k) => <>{moment(k.createdAt)}<div className="muted"><Clip text={k.createdBy} width={160} /></div></> },
                { title: t('Expires'), sorter: (a, b) => a.expiresAt - b.expiresAt, render: (_, k) => moment(k.expiresAt) },
                {
                  title: t('State'),
                  render: (_, k) =>
                    stateOf(k) === 'good' ? <Tag color="success">{t('Active')}</Tag> : <Tag>{stateOf(k) === 'revoked' ? t('Revoked') : t('Expired')}</Tag>,
                },
                {
                  title: t('Actions'),
                  align: 'right',
                  render: (_, k) => stateOf(k) === 'good' && <Button size="small" danger aria-label={t('Revoke {name}', { name: k.name })} onClick={() => revoke(k)}>{t('Revoke')}</Button>,
                },
              ]}
            />
          </div>
        )}
      </Loaded>
      {explaining && <ExplainToken close={() => setExplaining(false)} />}
      {making && <NewToken close={(changed) => { setMaking(false); if (changed) remote.reload(); }} />}
    </>
  );
}

function NewToken(props: { close: (changed?: boolean) => void }) {
  const [form] = Form.useForm<{ name: string; days: number }>();
  const [resource, setResource] = useState<ResourceValue>(WHOLE);
  const [allowed, setAllowed] = useState('r');
  const [scopes, setScopes] = useState<Right[]>([]);
  const [secret, setSecret] = useState<string>();
  const action = useSingleAction();
  const typed: Right = { action: allowed, resource: resource.text };
  const create = async (values: { name: string; days: number }) => {
    const made = await action.run(() => access.createToken(values.name.trim(), scopes.length > 0 ? scopes : [typed], values.days * DAY_SECONDS));
    if (made) setSecret(made.token);
  };
  if (secret) {
    return (
      <Dialog title={t('The new token')} closable={false} mask={{ closable: false }} keyboard={false} footer={<Button type="primary" onClick={() => props.close(true)}>{t('I have saved it')}</Button>}>
        <Alert type="warning" showIcon title={t('It is shown only once: the server stores no copy of it.')} style={{ marginBottom: 12 }} />
        <Space.Compact style={{ width: '100%' }}>
          <Input readOnly className="mono" aria-label={t('The new token')} value={secret} onFocus={(e) => e.target.select()} />
          <Button onClick={() => void action.run(() => copy(secret), t('Copied'))}>{t('Copy')}</Button>
        </Space.Compact>
      </Dialog>
    );
  }
  return (
    <Dialog width={640} title={t('New token')} okText={t('Create')} cancelText={t('Cancel')} onCancel={() => props.close()} onOk={() => form.submit()}>
      <Form form={form} layout="vertical" requiredMark={false} onFinish={create} initialValues={{ days: 90 }}>
        <Form.Item name="name" label={t('Name')} rules={[{ required: true, whitespace: true, message: t('Needed') }]}>
          <Input autoFocus autoComplete="off" />
        </Form.Item>
        <Form.Item name="days" label={t('Expires after')}>
          <Select
            options={[1, 7, 30, 90, 365].map((value) => ({ value, label: t('{n} days', { n: value }) }))}
          />
        </Form.Item>
        <Action value={allowed} onChange={setAllowed} />
        <Resource value={resource} onChange={setResource} />
        <Button size="small" style={{ marginTop: 8 }} onClick={() => setScopes([...scopes.filter((s) => s.resource !== typed.resource), typed])}>{t('Add another scope')}</Button>
        {scopes.map((scope) => (
          <Tag key={scope.resource} closable onClose={() => setScopes(scopes.filter((s) => s !== scope))} style={{ marginTop: 8 }}>
            {actionText(scope.action)} <bdi className="mono">{scope.resource}</bdi>
          </Tag>
        ))}
      </Form>
    </Dialog>
  );
}
