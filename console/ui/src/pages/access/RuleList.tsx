import { PlusOutlined } from '@ant-design/icons';
import { Alert, Button, Empty, Form, Input, Table, Tag } from 'antd';
import { useState } from 'react';
import { access, type Rule, type RuleText } from '../../api/access';
import { Dialog } from '../../components/Dialog';
import { Clip, Loaded, useAction, useConfirm, useSingleAction } from '../../components/common';
import { moment, t } from '../../i18n';
import { useRemote } from '../../remote';
import { ExplainToken } from './Explain';
import { ADMIN_ROLE } from './RoleList';

const NEW: RuleText = { claim: 'groups', value: '', role: '' };

function textOf(rule: RuleText): string {
  return `${rule.claim}=${rule.value} -> ${rule.role}`;
}

/** The rules that give roles to callers of the issuer; those of the settings are only shown. */
export function RuleList() {
  const [editing, setEditing] = useState<Rule | RuleText>();
  const [explaining, setExplaining] = useState(false);
  const remote = useRemote('rules', (signal) => access.rules(signal));
  const action = useAction();
  const confirm = useConfirm();
  const remove = (rule: Rule & { id: string }) =>
    confirm({
      title: t('Delete rule {name}?', { name: textOf(rule) }),
      text: t('Its callers lose the role at once, unless another rule gives it.'),
      button: t('Delete'),
      danger: true,
      run: async () => {
        await action.run(() => access.removeRule(rule.id), t('Deleted'));
        remote.reload();
      },
    });
  return (
    <>
      <p className="muted" style={{ marginTop: 0 }}>{t('A caller of the issuer has the roles of all rules that match its token.')}</p>
      <div className="filters">
        <div className="grow" />
        <Button onClick={() => setExplaining(true)}>{t('What may a token do?')}</Button>
        <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setEditing(NEW)}>{t('New rule')}</Button>
      </div>
      <Loaded remote={remote}>
        {(rules) => (
          <div className="table-panel" tabIndex={0}>
            <Table<Rule>
              rowKey={(rule) => rule.id ?? textOf(rule)}
              dataSource={rules}
              pagination={{ defaultPageSize: 50, hideOnSinglePage: true }}
              showSorterTooltip={false}
              locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t('There are no rules yet')} /> }}
              columns={[
                { title: t('Claim'), sorter: (a, b) => a.claim.localeCompare(b.claim), render: (_, rule) => <bdi className="mono wrap">{rule.claim}</bdi> },
                { title: t('Value'), sorter: (a, b) => a.value.localeCompare(b.value), render: (_, rule) => <bdi className="mono wrap">{rule.value}</bdi> },
                {
                  title: t('Role'),
                  sorter: (a, b) => a.role.localeCompare(b.role),
                  render: (_, rule) => <><bdi className="mono wrap">{rule.role}</bdi> {rule.globalAdmin && <Tag color="warning">{t('Administrators')}</Tag>}</>,
                },
                {
                  title: t('Source'),
                  render: (_, rule) =>
                    rule.changedAt === null ? t('Setting') : <>{moment(rule.changedAt)}<div className="muted"><Clip text={rule.changedBy ?? ''} width={200} /></div></>,
                },
                {
                  title: t('Actions'),
                  align: 'right',
                  render: (_, rule) =>
                    rule.id !== null && (
                      <>
                        <Button size="small" aria-label={t('Edit {name}', { name: textOf(rule) })} onClick={() => setEditing(rule)}>{t('Edit')}</Button>{' '}
                        <Button size="small" danger aria-label={t('Delete {name}', { name: textOf(rule) })} onClick={() => remove({ ...rule, id: rule.id as string })}>{t('Delete')}</Button>
                      </>
                    ),
                },
              ]}
            />
          </div>
        )}
      </Loaded>
      {explaining && <ExplainToken close={() => setExplaining(false)} />}
      {editing && <EditRule rule={editing} close={(changed) => { setEditing(undefined); if (changed) remote.reload(); }} />}
    </>
  );
}

function EditRule(props: { rule: Rule | RuleText; close: (changed?: boolean) => void }) {
  const id = 'id' in props.rule ? props.rule.id : undefined;
  const [rule, setRule] = useState<RuleText>({ claim: props.rule.claim, value: props.rule.value, role: props.rule.role });
  const action = useSingleAction();
  const typed: RuleText = { claim: rule.claim.trim(), value: rule.value.trim(), role: rule.role.trim() };
  const complete = typed.claim !== '' && typed.value !== '' && typed.role !== '';
  const save = async () => {
    if (await action.run(() => access.saveRule(typed, id), t('Saved'))) props.close(true);
  };
  return (
    <Dialog width={640} title={id ? t('Edit rule') : t('New rule')} okText={t('Save')} cancelText={t('Cancel')} okButtonProps={{ disabled: !complete, danger: typed.role === ADMIN_ROLE }} onCancel={() => props.close()} onOk={save}>
      <Form layout="vertical" component="div">
        <Form.Item label={t('Claim')} htmlFor="rule-claim" extra={t('A dot leads into a claim: realm_access.roles')}>
          <Input id="rule-claim" className="mono" maxLength={100} autoComplete="off" value={rule.claim} onChange={(e) => setRule({ ...rule, claim: e.target.value })} />
        </Form.Item>
        <Form.Item label={t('Value')} htmlFor="rule-value" extra={t('* stands for any characters; upper and lower case differ')}>
          <Input id="rule-value" className="mono" maxLength={250} autoComplete="off" autoFocus value={rule.value} onChange={(e) => setRule({ ...rule, value: e.target.value })} />
        </Form.Item>
        <Form.Item label={t('Role')} htmlFor="rule-role">
          <Input id="rule-role" className="mono" maxLength={50} autoComplete="off" value={rule.role} onChange={(e) => setRule({ ...rule, role: e.target.value })} />
        </Form.Item>
      </Form>
      {typed.role === ADMIN_ROLE && (
        <Alert type="warning" showIcon role="alert" title={t('This rule makes administrators')} description={t('Every caller of the issuer that it matches may do everything on this server. The audit log records it.')} />
      )}
    </Dialog>
  );
}
