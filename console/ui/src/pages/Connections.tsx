import { Button, Empty, Input, Table, Tabs } from 'antd';
import { useState } from 'react';
import { core } from '../api/core';
import { ClientAddress } from '../components/ClientAddress';
import { ClientLabels } from '../components/ClientLabels';
import { Dialog } from '../components/Dialog';
import { Beneath, Clip, Incomplete, Link, Loaded, OpeningColumn, PageHead, useAction } from '../components/common';
import { moment, number, t } from '../i18n';
import { useNamespaces } from '../namespaces';
import { useRemote } from '../remote';
import { useQuery } from '../router';
import { clientView } from './clients/ClientHistory';
import { instanceOf, rowOf, type ConnectionRow } from './connections/rows';
import { WithoutLogin } from './connections/WithoutLogin';
import { ConnectionDetails } from './ConnectionDetails';

const EVERY_MILLIS = 5000;

export default function Connections() {
  const [query, change] = useQuery();
  return (
    <>
      <PageHead title={t('Connections')} />
      <Tabs
        activeKey={query.get('tab') ?? 'connected'}
        destroyOnHidden
        onChange={(next) => change({ tab: next === 'connected' ? undefined : next })}
        items={[
          { key: 'connected', label: t('Connected clients'), children: <Connected /> },
          { key: 'without-login', label: t('Clients without login'), children: <WithoutLogin /> },
        ]}
      />
    </>
  );
}

function Connected() {
  const [typed, setTyped] = useState('');
  const { current } = useNamespaces();
  const remote = useRemote(
    'connections',
    async (signal) => {
      const { data, silent } = await core.connections(signal);
      const rows = data.map(rowOf);
      return { rows, silent, isOfSeveral: new Set(rows.map((row) => row.node)).size > 1 };
    },
    { every: EVERY_MILLIS, live: { namespaceId: current, when: (event) => event.kind === 'connections' } },
  );
  const [leaving, setLeaving] = useState<ConnectionRow>();
  return (
    <>
      <p className="muted">{remote.data && (remote.data.rows.length === 1 ? t('1 client is connected') : t('{n} clients are connected', { n: number(remote.data.rows.length) }))}</p>
      <Loaded remote={remote}>
        {({ rows, silent, isOfSeveral }) => (
          <>
            <Incomplete nodes={silent} />
            <div className="filters">
              <Input allowClear style={{ width: 300, maxWidth: '100%' }} aria-label={t('Search connections')} placeholder={t('Search connections')} value={typed} onChange={(e) => setTyped(e.target.value)} />
            </div>
            <div className="table-panel" tabIndex={0}>
              <Table<ConnectionRow>
                rowKey="id"
                size="middle"
                showSorterTooltip={false}
                dataSource={rows.filter((row) => JSON.stringify(row).toLowerCase().includes(typed.trim().toLowerCase()))}
                pagination={{ defaultPageSize: 50, hideOnSinglePage: true }}
                expandable={{ columnTitle: <OpeningColumn />, expandedRowRender: (row) => <ConnectionDetails id={row.id} ip={row.ip} labels={row.labels} /> }}
                locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t('No client is connected')} /> }}
                columns={[
                  { title: t('Client'), sorter: (a, b) => a.address.localeCompare(b.address), render: (_, r) => <><Link to={clientView({ connectionId: r.id, ip: r.ip, app: r.app, instance: instanceOf(r.labels) })}><ClientAddress place={r.place} /></Link><Beneath><Clip text={r.version} width={180} /></Beneath></> },
                  { title: t('SDK'), responsive: ['md'], sorter: (a, b) => a.version.localeCompare(b.version), render: (_, r) => <Clip text={r.version} width={220} /> },
                  { title: t('Application'), responsive: ['lg'], sorter: (a, b) => a.app.localeCompare(b.app), render: (_, r) => <Clip text={r.app} width={180} /> },
                  ...(isOfSeveral ? [{ title: t('Node'), responsive: ['md' as const], sorter: (a: ConnectionRow, b: ConnectionRow) => a.node.localeCompare(b.node), render: (_: unknown, r: ConnectionRow) => <span className="mono nowrap">{r.node}</span> }] : []),
                  { title: t('Since'), responsive: ['md'], sorter: (a, b) => a.since - b.since, render: (_, r) => <span className="nowrap">{moment(r.since)}</span> },
                  { title: t('Labels'), responsive: ['xl'], render: (_, r) => <ClientLabels labels={r.labels} most={4} /> },
                  { title: t('Actions'), align: 'right', render: (_, r) => <Button size="small" danger aria-label={t('Disconnect {name}', { name: r.address })} onClick={() => setLeaving(r)}>{t('Disconnect')}</Button> },
                ]}
              />
            </div>
          </>
        )}
      </Loaded>
      {leaving && <Disconnect row={leaving} close={() => setLeaving(undefined)} done={remote.reload} />}
    </>
  );
}

/** Says what a server can do about a client, which is to ask, and asks. */
function Disconnect(props: { row: ConnectionRow; close: () => void; done: () => void }) {
  const [server, setServer] = useState('');
  const action = useAction();
  const ask = async () => {
    const done = await action.run(() => core.disconnect(props.row.id, server.trim() || undefined), t('Asked to reconnect'));
    if (done) {
      props.done();
      props.close();
    }
  };
  return (
    <Dialog title={t('Disconnect {name}?', { name: props.row.address })} okText={t('Ask it to reconnect')} cancelText={t('Cancel')} onCancel={props.close} onOk={ask}>
      <p>{t('The client is asked to reconnect, to another server if it knows one. It loses no registrations or watches.')}</p>
      <p className="muted">
        {t('This does not block the client: it may reconnect at once, and a client that ignores the request stays connected. To block it, change its rights, token or password.')}
      </p>
      <label>
        {t('To this server (host:port; any when empty)')}
        <Input value={server} onChange={(event) => setServer(event.target.value)} onPressEnter={() => void ask()} />
      </label>
    </Dialog>
  );
}
