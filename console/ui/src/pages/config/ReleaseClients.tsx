import { Alert, Skeleton, Table, Tag } from 'antd';
import type { Config, GrayRelease } from '../../api/configs';
import type { IdentitySource, ReleasePreview, SelectedClient } from '../../api/releases';
import { ClientAddress, placeOf } from '../../components/ClientAddress';
import { Beneath, Clip, Incomplete, Link, Nothing, Problem, TableScroll } from '../../components/common';
import { number, t } from '../../i18n';
import { view } from '../../router';
import { clientView } from '../clients/ClientHistory';
import { PREVIEW_SIZE, type Preview } from './ReleaseTo';

/** The clients that a release would have, before it is published. */
export function ReleaseClients(props: {
  preview: Preview;
  grayName: string;
  stored: Config;
  releases: GrayRelease[];
  pageNo: number;
  onPage: (pageNo: number) => void;
}) {
  const { found, error, problem } = props.preview;
  if (error) return <Problem error={error} />;
  if (problem) return null;
  if (!found) return props.preview.isAsked ? <Skeleton active paragraph={{ rows: 2 }} /> : <p className="muted">{t('The clients that get the release are listed here once its rule is complete.')}</p>;
  const { data, silent } = found;
  return (
    <section aria-label={t('Preview')} aria-busy={!props.preview.isCurrent}>
      <Incomplete nodes={silent} />
      <p role="status" style={{ fontSize: 16, margin: '0 0 8px' }}>{summaryText(data)}</p>
      <Bar data={data} />
      {data.selected > data.gets && (
        <Alert style={{ marginBottom: 12 }} type="warning" showIcon title={t('Selected clients that keep a release of a higher priority: {n}', { n: number(data.selected - data.gets) })} />
      )}
      <TableScroll>
        <Table<SelectedClient>
          size="small"
          rowKey={(client) => `${client.node} ${client.connectionId || client.proxy} ${client.ip} ${client.agent}`}
          dataSource={data.clients}
          pagination={{ current: props.pageNo, pageSize: PREVIEW_SIZE, total: data.selected, hideOnSinglePage: true, showSizeChanger: false, onChange: props.onPage }}
          locale={{ emptyText: <Nothing text={data.listeners === 0 ? t('No client listens to this configuration at the moment') : t('The rule selects none of the connected clients')} /> }}
          columns={[
            { title: t('Client'), render: (_, c) => <><Link to={viewOf(c, props.stored.namespaceId)}><ClientAddress place={placeOf(c.ip, c.connectionId)} /></Link><Beneath>{[c.app, c.agent].filter(Boolean).join(' · ')}</Beneath></> },
            { title: t('Application'), responsive: ['md'], render: (_, c) => <Clip text={c.app || '–'} width={160} /> },
            { title: t('SDK'), responsive: ['xl'], render: (_, c) => <Clip text={c.agent} width={190} /> },
            { title: t('Identity'), responsive: ['lg'], render: (_, c) => <Identity client={c} /> },
            { title: t('Content now'), responsive: ['md'], render: (_, c) => (c.proxy ? '–' : <ContentNow md5={c.md5} stored={props.stored} releases={props.releases} />) },
            { title: t('Release now'), responsive: ['md'], render: (_, c) => <Clip text={c.before || t('None')} width={140} /> },
            {
              title: t('Gets it'),
              render: (_, c) => (c.gets ? <Tag color="success">{t('Gets it')}</Tag> : <Tag color="warning">{c.before && c.before !== props.grayName ? t('Keeps {name}', { name: c.before }) : t('Another release wins')}</Tag>),
            },
          ]}
        />
      </TableScroll>
    </section>
  );
}

/** The page of the client; of a proxy the list of the proxies with its node. */
function viewOf(client: SelectedClient, namespaceId: string): string {
  const { connectionId, proxy, ip, app, identity, identityBy } = client;
  if (!proxy) return clientView({ connectionId, ip, app, instance: identityBy === 'INSTANCE' ? identity : undefined });
  return view('proxies', { ns: namespaceId, node: identity });
}

export function summaryText(data: ReleasePreview): string {
  return t('{gets} of {listeners} connected clients get it · the rule selects {selected}', { gets: number(data.gets), listeners: number(data.listeners), selected: number(data.selected) });
}

function Bar(props: { data: ReleasePreview }) {
  const { listeners, selected, gets } = props.data;
  if (listeners === 0) return null;
  return (
    <div className="bar" aria-hidden="true" style={{ marginBottom: 12 }}>
      <i className="beta" style={{ width: `${(100 * gets) / listeners}%` }} />
      <i className="old" style={{ width: `${(100 * (selected - gets)) / listeners}%` }} />
    </div>
  );
}

function sourceText(by: IdentitySource | undefined): string {
  switch (by) {
    case 'INSTANCE':
      return t('label instance');
    case 'APPLICATION_AND_ADDRESS':
      return t('application and address');
    case 'NODE':
      return t('id of the xDS node');
    default:
      return t('none: it sends no labels');
  }
}

function Identity(props: { client: SelectedClient }) {
  const { identity, identityBy } = props.client;
  return (
    <>
      {identity && <div><Clip text={identity} width={190} mono /></div>}
      <span className="muted">{sourceText(identityBy)}</span>
    </>
  );
}

/** The content that a client has, by its digest. */
export function ContentNow(props: { md5: string | undefined; stored: { md5: string } | undefined; releases: GrayRelease[] }) {
  const { md5, stored } = props;
  if (!md5) return <Tag>{t('Nothing')}</Tag>;
  if (md5 === stored?.md5) return <Tag color="success" title={md5}>{t('Stored version')}</Tag>;
  const release = props.releases.find((each) => each.md5 === md5);
  return release ? <Tag color="processing" title={md5}><Clip text={release.grayName} width={140} /></Tag> : <Tag color="warning" title={md5}>{t('Another version')}</Tag>;
}
