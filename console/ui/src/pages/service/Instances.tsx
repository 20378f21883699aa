import { DeleteOutlined, EditOutlined } from '@ant-design/icons';
import { Button, Empty, Grid, Input, InputNumber, Space, Switch, Table, Tag, type TableColumnsType } from 'antd';
import { useEffect, useState } from 'react';
import { ApiError } from '../../api/http';
import { services, type Instance, type InstanceChanges, type ServiceName } from '../../api/services';
import { Dialog } from '../../components/Dialog';
import { Beneath, Dot, Problem, TableScroll, useAction, useConfirm } from '../../components/common';
import { MetadataEditor } from '../../components/MetadataEditor';
import { moment, number, t, type Text } from '../../i18n';
import { useRemote, useSettled, type Live } from '../../remote';
import { EVERY_MILLIS, Metadata } from '../ServicePage';

function addressOf(instance: Instance): string {
  return `${instance.ip}:${instance.port}`;
}

const TYPING_MILLIS = 250;
const FEW = 10;
const PROGRESS_EVERY_MILLIS = 500;
/** The key of the message that shows the progress of a drain. */
const PROGRESS = 'drain';

/** The events after which the page of a service is loaded anew. */
export function changesOf(name: ServiceName): Live {
  return {
    namespaceId: name.namespaceId,
    when: (event) => event.kind === 'service' && event.serviceName === name.serviceName && event.groupName === name.groupName,
  };
}

type Order = { sort?: string; order?: 'asc' | 'desc' };

/** The instances of a cluster, of which the server sends the page that is shown. */
export function Instances(props: { name: ServiceName; cluster: string; changes: number; mayWrite: boolean; changed: () => void }) {
  const { name, cluster, mayWrite, changed } = props;
  const [typed, setTyped] = useState('');
  const text = useSettled(typed.trim(), TYPING_MILLIS);
  const [order, setOrder] = useState<Order>({});
  const [at, setAt] = useState({ page: 1, size: 50 });
  const [chosen, setChosen] = useState<Instance[]>([]);
  const [editing, setEditing] = useState<Instance>();
  const isWide = Grid.useBreakpoint().md !== false;
  const action = useAction();
  const confirm = useConfirm();
  const remote = useRemote(
    JSON.stringify([name, cluster, text, order, at, props.changes]),
    (signal) => services.instances(name, cluster, { text, ...order, ...at }, signal),
    { every: EVERY_MILLIS, live: changesOf(name) },
  );
  const total = remote.data?.totalCount ?? 0;
  const shown = remote.data?.pageItems ?? [];
  useEffect(() => {
    // The last page may have become empty.
    const last = Math.max(1, Math.ceil(total / at.size));
    if (remote.data && at.page > last) setAt({ ...at, page: last });
  }, [remote.data, total, at]);

  const change = async (instance: Instance, changes: InstanceChanges, done: string) => {
    const changedIt = await action.run(() => services.changeInstance(name, instance, changes), done);
    changed();
    return changedIt !== undefined;
  };
  const resume = async (all: Instance[]) => {
    await action.run(async () => {
      for (const instance of all) {
        try {
          await services.changeInstance(name, instance, { enabled: true });
        } catch (failure) {
          // One that has gone meanwhile gets no traffic either, and keeps nobody from the next.
          if (!(failure instanceof ApiError && failure.absent)) throw failure;
        }
      }
    }, t('Receiving traffic again'));
    setChosen([]);
    changed();
  };
  /** Shows how many consumers have the drain until it is answered. */
  const withProgress = async <T,>(instance: Instance, drained: Promise<T>): Promise<T> => {
    let answered = false;
    const ask = async () => {
      while (!answered) {
        await new Promise((resolve) => setTimeout(resolve, PROGRESS_EVERY_MILLIS));
        if (answered) return;
        try {
          const { data } = await services.drainProgress(name, instance);
          const all = data.subscribers + data.waiting.length;
          if (!answered) {
            void action.message.open({
              key: PROGRESS,
              type: 'loading',
              duration: 0,
              content: t('{address}: {n} of {all} consumers have it', { address: addressOf(instance), n: number(data.subscribers), all: number(all) }),
            });
          }
        } catch (failure) {
          // Until the drain is stored there is none; its own answer says why there is no progress.
          if (!(failure instanceof ApiError)) throw failure;
        }
      }
    };
    const asking = ask();
    try {
      return await drained;
    } finally {
      answered = true;
      await asking;
      action.message.destroy(PROGRESS);
    }
  };
  const drain = async (all: Instance[], force: boolean) => {
    let subscribers = 0;
    const waiting = new Set<string>();
    const silent = new Set<string>();
    let isLast = false;
    const done = await action.run(async () => {
      for (const instance of all) {
        try {
          const drained = await withProgress(instance, services.drain(name, instance, force));
          subscribers = Math.max(subscribers, drained.data.subscribers);
          drained.data.waiting.forEach((one) => waiting.add(`${one.ip} ${one.app} ${one.agent}`));
          drained.silent.forEach((node) => silent.add(node));
        } catch (failure) {
          isLast = failure instanceof ApiError && failure.status === 409;
          if (isLast) break;
          if (!(failure instanceof ApiError && failure.absent)) throw failure;
        }
      }
    });
    setChosen([]);
    changed();
    if (isLast) {
      confirm({
        title: t('Drain the last instance in service?'),
        text: t('Then the service has no instance for its consumers.'),
        button: t('Drain anyway'),
        danger: true,
        run: () => drain(all, true),
      });
    } else if (done && waiting.size + silent.size === 0) {
      void action.message.success(t('Drained; {n} subscribers have acknowledged that', { n: number(subscribers) }));
    } else if (done) {
      action.modal.warning({
        title: t('Drained, but some subscribers have not acknowledged that'),
        content: [...waiting, ...[...silent].map((node) => t('No answer from node {node}', { node }))].map((line) => <div key={line}>{line}</div>),
      });
    }
  };
  const confirmDrain = (all: Instance[]) =>
    confirm({
      title: t('Drain {n} instances?', { n: all.length }),
      text: t('Clients send no new requests to them. They stay registered. You can resume their traffic here; after an hour it resumes by itself.'),
      button: t('Drain'),
      run: () => drain(all, false),
    });

  const sortOrder = (column: string) => (order.sort !== column ? null : order.order === 'desc' ? 'descend' as const : 'ascend' as const);
  const columns: TableColumnsType<Instance> = [
    {
      title: t('Address'),
      key: 'address',
      sorter: true,
      sortOrder: sortOrder('address'),
      render: (_, i) => (
        <>
          <span className="mono">{addressOf(i)}</span>
          <Beneath>
            <Health instance={i} />
            {healthFacts(i).map((fact) => <div key={fact} className="health-fact">{fact}</div>)}
          </Beneath>
        </>
      ),
    },
    {
      title: t('Health'),
      key: 'health',
      responsive: ['md'],
      sorter: true,
      sortOrder: sortOrder('health'),
      render: (_, i) => <Health instance={i} />,
    },
    {
      title: t('Weight'),
      key: 'weight',
      width: 110,
      sorter: true,
      sortOrder: sortOrder('weight'),
      render: (_, i) => (mayWrite ? <WeightField instance={i} save={(weight) => change(i, { weight }, t('Weight changed'))} /> : number(i.weight)),
    },
    {
      title: t('Receives traffic'),
      key: 'enabled',
      width: 120,
      render: (_, i) => (
        <Switch
          size="small"
          disabled={!mayWrite}
          checked={i.enabled}
          aria-label={t('{address} receives traffic', { address: addressOf(i) })}
          onChange={(enabled) => void change(i, { enabled }, enabled ? t('Receiving traffic again') : t('Receives no traffic'))}
        />
      ),
    },
    { title: t('Kind'), key: 'kind', responsive: ['xl'], render: (_, i) => <Tag>{i.ephemeral ? t('Ephemeral') : t('Persistent')}</Tag> },
    { title: t('Metadata'), key: 'metadata', render: (_, i) => <Metadata metadata={i.metadata ?? {}} /> },
    {
      title: t('Actions'),
      key: 'do',
      align: 'right',
      render: (_, i) => (
        <Space size={0}>
          <Button size="small" type="text" icon={<EditOutlined aria-hidden />} aria-label={t('Edit the metadata of {address}', { address: addressOf(i) })} onClick={() => setEditing(i)} />
          <Button
            size="small"
            type="text"
            danger
            icon={<DeleteOutlined aria-hidden />}
            aria-label={t('Deregister {address}', { address: addressOf(i) })}
            onClick={() =>
              confirm({
                title: t('Deregister {address}?', { address: addressOf(i) }),
                text: i.ephemeral
                  ? t('Its own client keeps it registered as long as it is connected, and may register it again.')
                  : t('It is removed until it is registered again.'),
                button: t('Deregister'),
                danger: true,
                run: async () => {
                  await action.run(() => services.deregister(name, i), t('Deregistered'));
                  changed();
                },
              })
            }
          />
        </Space>
      ),
    },
  ];

  return (
    <>
      <div className="row" style={{ margin: '8px 0' }}>
        {(total > FEW || typed !== '') && (
          <Input
            allowClear
            style={{ width: 280 }}
            aria-label={t('Search by address or metadata')}
            placeholder={t('Search by address or metadata')}
            value={typed}
            onChange={(e) => {
              setTyped(e.target.value);
              setAt({ ...at, page: 1 });
            }}
          />
        )}
        {chosen.length > 0 && (
          <>
            <strong>{t('{n} chosen', { n: chosen.length })}</strong>
            <Button onClick={() => confirmDrain(chosen)}>{t('Drain')}</Button>
            <Button onClick={() => void resume(chosen)}>{t('Resume traffic')}</Button>
          </>
        )}
      </div>
      {remote.error && !remote.error.absent && <Problem error={remote.error} retry={remote.reload} />}
      <TableScroll>
        <Table<Instance>
          size="small"
          rowKey={addressOf}
          columns={mayWrite ? columns : columns.filter((column) => column.key !== 'do')}
          dataSource={shown}
          showSorterTooltip={false}
          expandable={{
            showExpandColumn: false,
            expandedRowKeys: isWide ? shown.filter((i) => healthFacts(i).length > 0).map(addressOf) : [],
            expandedRowRender: (i) => <div className="muted wrap">{healthFacts(i).join(' · ')}</div>,
          }}
          pagination={{ current: at.page, pageSize: at.size, total, hideOnSinglePage: true, showTotal: (n) => number(n) }}
          onChange={(pagination, _, sorter) => {
            const by = Array.isArray(sorter) ? sorter[0] : sorter;
            setOrder(by?.order ? { sort: String(by.columnKey), order: by.order === 'descend' ? 'desc' : 'asc' } : {});
            setAt({ page: pagination.current ?? 1, size: pagination.pageSize ?? at.size });
          }}
          rowSelection={!mayWrite ? undefined : {
            selectedRowKeys: chosen.map(addressOf),
            preserveSelectedRowKeys: true,
            onChange: (_, rows) => setChosen(rows.filter(Boolean)),
            getCheckboxProps: (i) => ({ 'aria-label': t('Choose {name}', { name: addressOf(i) }) }) as object,
            getTitleCheckboxProps: () => ({ 'aria-label': t('Choose all on this page') }) as object,
          }}
          locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={typed && remote.data ? t('No instance fits the search') : t('No instances')} /> }}
        />
      </TableScroll>
      {editing && (
        <EditMetadata
          instance={editing}
          close={() => setEditing(undefined)}
          save={async (metadata) => {
            if (await change(editing, { metadata }, t('Metadata changed'))) setEditing(undefined);
          }}
        />
      )}
    </>
  );
}

/** The fixed reasons of the server for an unhealthy instance; the result of a check is shown as it is. */
const REASONS: Record<string, Text> = {
  'heartbeats missing': 'heartbeats missing',
  'health check failed': 'health check failed',
  'set by an operator': 'set by an operator',
  'set by its client or an operator': 'set by its client or an operator',
};

function Health({ instance }: { instance: Instance }) {
  const { healthy, enabled } = instance;
  return (
    <span className="nowrap">
      <Dot kind={!healthy ? 'bad' : enabled ? 'good' : 'none'} />
      {healthy ? t('Healthy') : t('Unhealthy')}
    </span>
  );
}

/** Until when it is drained; why it is unhealthy, since when, and what was last seen of it. */
function healthFacts(instance: Instance): string[] {
  const { healthy, healthSince, unhealthyBecause, lastBeat, lastCheck, drainedUntil } = instance;
  const drained = drainedUntil ? [t('drained until {time}', { time: moment(drainedUntil) })] : [];
  if (healthy) return drained;
  const known = unhealthyBecause && REASONS[unhealthyBecause];
  const facts = [
    ...drained,
    known ? t(known) : unhealthyBecause,
    healthSince && t('since {time}', { time: moment(healthSince) }),
    lastBeat && t('last heartbeat {time}', { time: moment(lastBeat) }),
    lastCheck &&
      (lastCheck.text === unhealthyBecause
        ? t('last check {time}', { time: moment(lastCheck.time) })
        : t('last check {time}: {text}', { time: moment(lastCheck.time), text: lastCheck.text })),
  ];
  return facts.filter((fact): fact is string => Boolean(fact));
}

function WeightField(props: { instance: Instance; save: (weight: number) => Promise<unknown> }) {
  const { instance } = props;
  const [typed, setTyped] = useState<number | null>(null);
  const shown = typed ?? instance.weight;
  const save = async () => {
    if (typed === null || typed === instance.weight) return setTyped(null);
    await props.save(typed);
    setTyped(null);
  };
  return (
    <InputNumber
      size="small"
      min={0}
      max={10000}
      style={{ width: 84 }}
      aria-label={t('Weight of {address}', { address: addressOf(instance) })}
      value={shown}
      onChange={setTyped}
      onPressEnter={() => void save()}
      onBlur={() => void save()}
    />
  );
}

function EditMetadata(props: { instance: Instance; close: () => void; save: (metadata: Record<string, string>) => Promise<void> }) {
  const [metadata, setMetadata] = useState<Record<string, string> | undefined>(props.instance.metadata ?? {});
  return (
    <Dialog
      width={640}
      title={t('Metadata of {address}', { address: addressOf(props.instance) })}
      okText={t('Save')}
      cancelText={t('Cancel')}
      okButtonProps={{ disabled: !metadata }}
      onCancel={props.close}
      onOk={() => metadata && props.save(metadata)}
    >
      <MetadataEditor value={props.instance.metadata ?? {}} onChange={setMetadata} />
    </Dialog>
  );
}
