import { Alert, Empty, Input, Table, Tag } from 'antd';
import { useState } from 'react';
import { core, type WithoutLogin as Report, type ClientWithoutLogin } from '../../api/core';
import { Beneath, Clip, Incomplete, Loaded } from '../../components/common';
import { moment, number, t } from '../../i18n';
import { useRemote } from '../../remote';

const EVERY_MILLIS = 5000;
const BELOW = { marginBottom: 16 };

type Row = ClientWithoutLogin & { key: string };

/** The clients that a login for clients would refuse, so that an administrator can switch it on without a failed call. */
export function WithoutLogin() {
  const [typed, setTyped] = useState('');
  const remote = useRemote('without-login', (signal) => core.withoutLogin(signal), { every: EVERY_MILLIS });
  return (
    <Loaded remote={remote}>
      {({ data, silent }) => {
        const rows = data.flatMap((report) => report.clients.map((client, i): Row => ({ ...client, key: `${report.node} ${i}` })));
        return (
          <>
            <Incomplete nodes={silent} />
            <Verdict reports={data} rows={rows} silent={silent} />
            {rows.length > 0 && (
              <>
                <div className="filters">
                  <Input allowClear style={{ width: 300, maxWidth: '100%' }} aria-label={t('Search clients')} placeholder={t('Search clients')} value={typed} onChange={(e) => setTyped(e.target.value)} />
                </div>
                <div className="table-panel" tabIndex={0}>
                  <Table<Row>
                    rowKey="key"
                    size="middle"
                    showSorterTooltip={false}
                    dataSource={rows.filter((row) => JSON.stringify(row).toLowerCase().includes(typed.trim().toLowerCase()))}
                    pagination={{ defaultPageSize: 50, hideOnSinglePage: true }}
                    locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t('No client matches')} /> }}
                    columns={[
                      { title: t('Client'), sorter: (a, b) => a.address.localeCompare(b.address), render: (_, r) => <><span className="mono">{r.address}</span><Beneath><Clip text={r.sdk} width={180} /></Beneath></> },
                      { title: t('Application'), sorter: (a, b) => a.application.localeCompare(b.application), render: (_, r) => <Clip text={r.application} width={180} /> },
                      { title: t('SDK'), responsive: ['md'], sorter: (a, b) => a.sdk.localeCompare(b.sdk), render: (_, r) => <Clip text={`${r.sdk} (${r.protocol})`} width={220} /> },
                      { title: t('Namespace'), responsive: ['md'], sorter: (a, b) => a.namespace.localeCompare(b.namespace), render: (_, r) => <Clip text={r.namespace} width={160} /> },
                      { title: t('Missing'), render: (_, r) => <><Tag>{missing(r)}</Tag>{r.right && <div className="mono nowrap">{r.right}</div>}</> },
                      { title: t('Requests'), align: 'right', responsive: ['lg'], sorter: (a, b) => a.requests - b.requests, render: (_, r) => number(r.requests) },
                      { title: t('Last seen'), sorter: (a, b) => a.lastSeen - b.lastSeen, defaultSortOrder: 'descend', render: (_, r) => <span className="nowrap">{r.connected ? t('Connected') : moment(r.lastSeen)}</span> },
                    ]}
                  />
                </div>
              </>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function missing(row: Row): string {
  switch (row.reason) {
    case 'login':
      return t('A login');
    case 'token':
      return t('A valid token');
    default:
      return row.user ? t('A right of {name}', { name: row.user }) : t('A right');
  }
}

/** Whether clients can need a login now, in one sentence. */
function Verdict(props: { reports: Report[]; rows: Row[]; silent: string[] }) {
  const open = props.reports.filter((report) => !report.clientsNeedLogin);
  if (open.length === 0) {
    return <Alert style={BELOW} type="success" showIcon title={t('Clients need a login. Nobody is served without one.')} />;
  }
  if (open.some((report) => !report.observed)) {
    return <Alert style={BELOW} type="info" showIcon title={t('Nobody needs a login, so no client is observed. Set nacos.core.auth.admin.enabled=true first.')} />;
  }
  const since = moment(Math.max(...open.map((report) => report.since)));
  const rehearsed = open.every((report) => report.rehearsal);
  const checked = rehearsed ? t('Rights are checked.') : t('Rights are not checked: set cairn.auth.rehearsal=true to check them, too.');
  if (props.rows.length > 0 || open.some((report) => report.incomplete)) {
    return <Alert style={BELOW} type="warning" showIcon title={t('Clients need no login. Those below would be refused if they did.')} description={t('Observed since {time}.', { time: since }) + ' ' + checked} />;
  }
  if (props.silent.length > 0) {
    return <Alert style={BELOW} type="warning" showIcon title={t('Clients need no login. What clients of the silent nodes lack is unknown.')} />;
  }
  return <Alert style={BELOW} type={rehearsed ? 'success' : 'info'} showIcon title={t('Clients need no login. Every client since {time} came with one.', { time: since })} description={checked} />;
}
