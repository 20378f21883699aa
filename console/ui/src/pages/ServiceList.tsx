import { PlusOutlined } from '@ant-design/icons';
import { Button, Checkbox, Form, Input, InputNumber, Pagination, Select, Switch, Table, Tag, type TableColumnsType } from 'antd';
import { useState } from 'react';
import { services, type ServiceSummary } from '../api/services';
import { Dialog } from '../components/Dialog';
import { Clip, Dot, Link, Nothing, PageHead, Problem, useSingleAction } from '../components/common';
import { number, t, type Text } from '../i18n';
import { useNamespaces } from '../namespaces';
import { useRemote } from '../remote';
import { useRights } from '../rights';
import { navigate, useQuery, view } from '../router';
import { SearchField } from './ConfigList';

const EVERY_MILLIS = 5000;

const HEALTH: [string, Text][] = [
  ['ill', 'Some instance is not healthy'],
  ['down', 'No instance is healthy'],
  ['protected', 'Protection is active'],
];

/** In a glance: are there instances, and are they well. */
export function ServiceHealth(props: { healthy: number; all: number; protecting: boolean }) {
  const { healthy, all, protecting } = props;
  if (all === 0) return <span className="muted"><Dot kind="none" />{t('No instances')}</span>;
  return (
    <span>
      <Dot kind={healthy === all ? 'good' : healthy === 0 ? 'bad' : 'warn'} />
      {healthy === all ? t('All {n} healthy', { n: number(all) }) : t('{n} of {all} healthy', { n: number(healthy), all: number(all) })}
      {protecting && <Tag color="warning" style={{ marginInlineStart: 8 }}>{t('Protected')}</Tag>}
    </span>
  );
}

export default function ServiceList() {
  const { current, nameOf } = useNamespaces();
  const [query, change] = useQuery();
  const [creating, setCreating] = useState(false);
  const mayWrite = useRights().allow('writeServices');
  const search = {
    namespaceId: current,
    service: query.get('q') ?? undefined,
    group: query.get('group') ?? undefined,
    ignoreEmpty: query.get('empty') === 'no',
    health: query.get('health') ?? undefined,
    sort: query.get('sort') ?? undefined,
    order: query.get('order') ?? undefined,
    page: Number(query.get('page') ?? 1),
    size: Number(query.get('size') ?? 50),
  };
  const remote = useRemote(JSON.stringify(search), (signal) => services.list(search, signal), {
    every: EVERY_MILLIS,
    live: { namespaceId: current, when: (event) => event.kind === 'service' },
  });
  const page = remote.data;

  const column = (name: string): Partial<TableColumnsType<ServiceSummary>[number]> => ({
    key: name,
    sorter: true,
    sortOrder: search.sort === name ? (search.order === 'desc' ? 'descend' : 'ascend') : null,
  });
  const columns: TableColumnsType<ServiceSummary> = [
    {
      title: t('Service'),
      ...column('name'),
      render: (_, s) => (
        <Link to={view('services/one', { ns: current, group: s.groupName, service: s.name })}>
          <Clip text={s.name} width="clamp(240px, 30vw, 760px)" />
        </Link>
      ),
    },
    { title: t('Group'), ...column('group'), render: (_, s) => <Clip text={s.groupName} width={240} /> },
    {
      title: t('Health'),
      ...column('health'),
      render: (_, s) => <ServiceHealth healthy={s.healthyInstanceCount} all={s.ipCount} protecting={s.triggerFlag === 'true'} />,
    },
    { title: t('Instances'), ...column('instances'), align: 'right', render: (_, s) => number(s.ipCount) },
    { title: t('Clusters'), key: 'clusters', align: 'right', responsive: ['lg'], render: (_, s) => number(s.clusterCount) },
  ];

  return (
    <>
      <PageHead title={t('Services')} sub={page && t('{n} in {namespace}', { n: number(page.totalCount), namespace: nameOf(current) })}>
        {mayWrite && <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>{t('New service')}</Button>}
      </PageHead>
      <div className="filters" role="search">
        <SearchField name="q" label="Search by name" width={300} main />
        <SearchField name="group" label="Group" width={150} />
        <Select
          allowClear
          aria-label={t('Health')}
          placeholder={t('Health')}
          style={{ width: 210 }}
          value={search.health}
          options={HEALTH.map(([value, text]) => ({ value, label: t(text) }))}
          onChange={(health?: string) => change({ health, page: undefined })}
        />
        <Checkbox checked={search.ignoreEmpty} onChange={(event) => change({ empty: event.target.checked ? 'no' : undefined, page: undefined })}>
          {t('Hide services without instances')}
        </Checkbox>
      </div>
      {remote.error && !remote.error.unreachable ? (
        <Problem error={remote.error} retry={remote.reload} />
      ) : (
        <div className="table-panel" tabIndex={0}>
          <Table<ServiceSummary>
            rowKey={(s) => `${s.groupName} ${s.name}`}
            columns={columns}
            dataSource={page?.pageItems ?? []}
            loading={{ spinning: remote.loading && !page, delay: 150 }}
            pagination={false}
            size="middle"
            showSorterTooltip={false}
            locale={{ emptyText: page ? <Nothing text={search.service || search.group || search.health || search.ignoreEmpty ? t('No service matches') : t('No services yet: they appear when an application registers itself.')} /> : ' ' }}
            onChange={(_, __, sorter) => {
              const by = Array.isArray(sorter) ? sorter[0] : sorter;
              change({ sort: by?.order ? String(by.columnKey) : undefined, order: by?.order === 'descend' ? 'desc' : undefined, page: undefined });
            }}
          />
          {page && page.totalCount > 20 && (
            <Pagination
              style={{ padding: '12px 16px' }}
              align="end"
              current={search.page}
              pageSize={search.size}
              total={page.totalCount}
              pageSizeOptions={[20, 50, 100, 200]}
              showSizeChanger
              onChange={(next, size) => change({ page: next > 1 ? String(next) : undefined, size: size === 50 ? undefined : String(size) }, true)}
            />
          )}
        </div>
      )}
      {creating && <NewService close={() => setCreating(false)} />}
    </>
  );
}

type NewServiceForm = { serviceName: string; groupName: string; protectThreshold: number; persistent: boolean };

function NewService(props: { close: () => void }) {
  const { current } = useNamespaces();
  const [form] = Form.useForm<NewServiceForm>();
  const action = useSingleAction();
  const create = async (values: NewServiceForm) => {
    const key = { namespaceId: current, groupName: values.groupName, serviceName: values.serviceName };
    const done = await action.run(
      () => services.create(key, { protectThreshold: values.protectThreshold, metadata: '{}', ephemeral: !values.persistent }),
      t('Created'),
    );
    if (done) navigate(view('services/one', { ns: current, group: key.groupName, service: key.serviceName }));
  };
  return (
    <Dialog title={t('New service')} okText={t('Create')} cancelText={t('Cancel')} onCancel={props.close} onOk={() => form.submit()}>
      <Form<NewServiceForm> form={form} layout="vertical" onFinish={create} requiredMark={false} initialValues={{ groupName: 'DEFAULT_GROUP', protectThreshold: 0, persistent: true }}>
        <Form.Item name="serviceName" label={t('Service')} rules={[{ required: true, message: t('Needed') }]}>
          <Input autoFocus />
        </Form.Item>
        <Form.Item name="groupName" label={t('Group')} rules={[{ required: true, message: t('Needed') }]}>
          <Input />
        </Form.Item>
        <Form.Item name="protectThreshold" label={t('Protection threshold (0 to 1)')}>
          <InputNumber min={0} max={1} step={0.1} />
        </Form.Item>
        <Form.Item name="persistent" label={t('For persistent instances')} valuePropName="checked">
          <Switch />
        </Form.Item>
      </Form>
    </Dialog>
  );
}
